// SPDX-License-Identifier: Apache-2.0
/// Linear layers beside cuBLASLt: every one of SD1.5, and products of at most 8 rows. GEGLU, in the prologue or in the
/// epilogue, has no twin in cuBLASLt: it stands beside its own pass.
#include "target.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

using Bias = Add<Out, Buf<1>>;
using BiasResidual = Add<Bias, Buf<2>>;
using Hidden = Slice<Buf<0>, -1, 0, param<0>>;
using Gate = Slice<Buf<0>, -1, param<0>, param<0>>;
using Geglu = Mul<Hidden, Gelu<Gate>>;

struct bias : Linear<Buf<0>, Bias> {};
struct bias_residual : Linear<Buf<0>, BiasResidual> {};
struct silu_bias : Linear<Silu<Buf<0>>, Bias> {};
struct geglu_residual : Linear<Geglu, BiasResidual> {};
struct plain_product : Linear<> {};
struct geglu : Linear<Buf<0>, Mul<Out, Gelu<OutGate>>> {};
/// Of 16 values and 16 gates in turns.
struct paired_pass : Elementwise<Mul<Slice<Buf<0>, 2, 0, 1>, Gelu<Slice<Buf<0>, 2, 1, 1>>>> {};
struct geglu_pass : Elementwise<Geglu> {};
struct silu_pass : Elementwise<Silu<Buf<0>>> {};

void describe(Case& c, const Shape& s) {
    c.flops(2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k));
    c.number("count", static_cast<double>(s.count));
    c.text("model", s.model);
}

/// Packed: weights as a model has them, which are constants; else a tensor that a kernel before may have written.
template <class T, bool Packs = true>
void plain(Bench& bench, const Shape& s, const char* what = "linear/bias/") {
    bench.run(what + s.text() + "/" + name(dtype_of<T>), [&](Case& c) {
        const auto [m, n, k] = std::array{s.m, s.n, s.k};
        auto x = c.input<T>(m * k), w = c.input<T>(n * k), b = c.input<T>(n);
        auto y = c.output<T>(m * n);
        describe(c, s);
        c.ours([=, m = m, n = n, k = k](int i) {
            const std::conditional_t<Packs, Packed<T, 2>, Tensor<const T, 2>> weights{w[i], {{n, k}}};
            return prepare<bias>(tensor(y[i], m, n), weights, tensor(x[i], m, k), tensor(b[i], n));
        });
        c.peer("cuBLASLt", cublaslt({m, n, k, dtype_of<T>, true}));
    });
}
void residual(Bench& bench, const Shape& s) {
    bench.run("linear/bias_residual/" + s.text() + "/fp16", [&](Case& c) {
        const index_t m = s.m, n = s.n, k = s.k;
        auto x = c.input<fp16>(m * k), w = c.input<fp16>(n * k), b = c.input<fp16>(n), r = c.input<fp16>(m * n);
        auto y = c.output<fp16>(m * n);
        describe(c, s);
        c.ours([=](int i) {
            return prepare<bias_residual>(tensor(y[i], m, n), weight(w[i], n, k), tensor(x[i], m, k), tensor(b[i], n),
                                          tensor(r[i], m, n));
        });
        c.peer("cuBLASLt", cublaslt({m, n, k, DType::f16, true, true}));
    });
}
void geglu_prologue(Bench& bench, const Shape& s) {
    bench.run("linear/geglu_residual/" + s.text() + "/fp16", [&](Case& c) {
        const index_t m = s.m, n = s.n, k = s.k;
        auto x = c.input<fp16>(m * 2 * k), w = c.input<fp16>(n * k), b = c.input<fp16>(n), r = c.input<fp16>(m * n);
        auto y = c.output<fp16>(m * n), t = c.output<fp16>(m * k);
        describe(c, s);
        c.bytes(2.0 * static_cast<double>(2 * m * k + n * k + n + 2 * m * n));
        c.ours([=](int i) {
            return prepare<geglu_residual>(tensor(y[i], m, n), weight(w[i], n, k), tensor(x[i], m, 2 * k),
                                           tensor(b[i], n), tensor(r[i], m, n), k);
        });
        c.unfused(
            "GEGLU in its own pass",
            [=](int i) { return prepare<geglu_pass>(tensor(t[i], m, k), tensor(x[i], m, 2 * k), k); },
            [=](int i) {
                return prepare<bias_residual>(tensor(y[i], m, n), weight(w[i], n, k), tensor<const fp16>(t[i], m, k),
                                              tensor(b[i], n), tensor(r[i], m, n));
            });
    });
}
void geglu_epilogue(Bench& bench, const Shape& s) {
    bench.run("linear/geglu/" + s.text() + "/fp16", [&](Case& c) {
        const index_t m = s.m, n = s.n, k = s.k;
        auto x = c.input<fp16>(m * k), w = c.input<fp16>(n * k);
        auto y = c.output<fp16>(m * n / 2), t = c.output<fp16>(m * n);
        describe(c, s);
        c.ours([=](int i) {
            return prepare<geglu>(tensor(y[i], m, n / 2), weight(w[i], n, k), tensor(x[i], m, k));
        });
        c.unfused(
            "GEGLU in its own pass",
            [=](int i) { return prepare<plain_product>(tensor(t[i], m, n), weight(w[i], n, k), tensor(x[i], m, k)); },
            [=](int i) {
                return prepare<paired_pass>(tensor(y[i], m, n / 32, 1, 16),
                                            tensor<const fp16>(t[i], m, n / 32, 2, 16));
            });
    });
}
void silu_prologue(Bench& bench, const Shape& s) {
    bench.run("linear/silu_bias/" + s.text() + "/fp16", [&](Case& c) {
        const index_t m = s.m, n = s.n, k = s.k;
        auto x = c.input<fp16>(m * k), w = c.input<fp16>(n * k), b = c.input<fp16>(n);
        auto y = c.output<fp16>(m * n), t = c.output<fp16>(m * k);
        describe(c, s);
        c.bytes(2.0 * static_cast<double>(m * k + n * k + n + m * n));
        c.ours([=](int i) {
            return prepare<silu_bias>(tensor(y[i], m, n), weight(w[i], n, k), tensor(x[i], m, k), tensor(b[i], n));
        });
        c.unfused(
            "SiLU in its own pass", [=](int i) { return prepare<silu_pass>(tensor(t[i], m, k), tensor(x[i], m, k)); },
            [=](int i) {
                return prepare<bias>(tensor(y[i], m, n), weight(w[i], n, k), tensor<const fp16>(t[i], m, k),
                                     tensor(b[i], n));
            });
    });
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench("linear", argc, argv);
    for (const Shape& s : bench.shapes("linear")) {
        plain<fp16>(bench, s);
        if (s.model != "unet" || bench.quick()) continue;
        const bool wide = s.n == 8 * s.k, deep = s.k == 4 * s.n, square = s.n == s.k && s.m > 8;
        if (square || deep) residual(bench, s);
        if (deep) geglu_prologue(bench, s);
        if (s.m <= 8 && s.k == 1280) silu_prologue(bench, s);
        if (wide) geglu_epilogue(bench, s);
        if (wide || deep) plain<bf16>(bench, s);
        if (square) plain<float>(bench, s);
    }
    for (const index_t m : {1, 2, 4, 8})
        for (const index_t n : {1280, 4096, 16384}) {
            if (bench.quick() && (m == 2 || m == 4)) continue;
            plain<fp16>(bench, {"gemv", "linear", {}, 1, m, n, n}, "gemv/bias/");
            plain<fp16, false>(bench, {"gemv", "linear", {}, 1, m, n, n}, "gemv/bias_unpacked/");
        }
    for (const index_t n : {4096, 8192})
        if (!bench.quick()) plain<fp16>(bench, {"square", "linear", {}, 1, n, n, n});
    return bench.finish();
}
