// SPDX-License-Identifier: Apache-2.0
/// Every convolution of SD1.5 beside cuDNN, whose plans fuse bias and residual too; 1×1 filters also beside cuBLASLt.
#include "target.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

using Bias = Add<Out, Buf<1>>;

template <class Win>
struct bias : Conv2D<Win, Buf<0>, Bias> {};
struct bias_residual : Conv2D<Filter<3>, Buf<0>, Add<Bias, Buf<2>>> {};

Convolution problem(const Shape& s, DType type, bool residual = false) {
    const index_t batch = s.model == "vae" ? 1 : 2;
    return {batch, s.key[0], s.key[1], s.key[2], s.key[3], s.kind == "conv1x1" ? 1 : 3, static_cast<int>(s.key[4]),
            type,  residual};
}
void describe(Case& c, const Shape& s) {
    c.flops(2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k));
    c.number("count", static_cast<double>(s.count));
    c.text("model", s.model);
}

template <class Win, class T = fp16>
void plain(Bench& bench, const Shape& s) {
    bench.run(s.kind + "/bias/" + s.text() + "/" + name(dtype_of<T>), [&](Case& c) {
        const Convolution p = problem(s, dtype_of<T>);
        const index_t taps = p.taps;
        auto x = c.input<T>(p.batch * p.height * p.width * p.in), w = c.input<T>(p.out * taps * taps * p.in),
             b = c.input<T>(p.out);
        auto y = c.output<T>(s.m * p.out);
        describe(c, s);
        c.ours([=](int i) {
            return prepare<bias<Win>>(tensor(y[i], p.batch, p.out_height(), p.out_width(), p.out),
                                      weight(w[i], p.out, taps, taps, p.in),
                                      tensor(x[i], p.batch, p.height, p.width, p.in), tensor(b[i], p.out));
        });
        c.peer("cuDNN", cudnn(p, bench.plans()));
        if (taps == 1) c.peer("cuBLASLt", cublaslt({s.m, p.out, p.in, dtype_of<T>, true}));
    });
}
void residual(Bench& bench, const Shape& s) {
    bench.run(s.kind + "/bias_residual/" + s.text() + "/fp16", [&](Case& c) {
        const Convolution p = problem(s, DType::f16, true);
        auto x = c.input<fp16>(s.m * p.in), w = c.input<fp16>(p.out * 9 * p.in), b = c.input<fp16>(p.out),
             r = c.input<fp16>(s.m * p.out);
        auto y = c.output<fp16>(s.m * p.out);
        describe(c, s);
        c.ours([=](int i) {
            return prepare<bias_residual>(tensor(y[i], p.batch, p.height, p.width, p.out),
                                          weight(w[i], p.out, 3, 3, p.in),
                                          tensor(x[i], p.batch, p.height, p.width, p.in), tensor(b[i], p.out),
                                          tensor(r[i], p.batch, p.height, p.width, p.out));
        });
        c.peer("cuDNN", cudnn(p, bench.plans()));
    });
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench("conv2d", argc, argv);
    for (const Shape& s : bench.shapes("conv3x3")) {
        if (s.key[4] == 2) {
            plain<Filter<3, 3, 2>>(bench, s);
            continue;
        }
        plain<Filter<3>>(bench, s);
        if (bench.quick() || s.key[2] != s.key[3]) continue;
        residual(bench, s);
        if (s.model != "unet" || s.count < 6) continue;
        plain<Filter<3>, bf16>(bench, s);
        plain<Filter<3>, float>(bench, s);
    }
    for (const Shape& s : bench.shapes("conv1x1")) plain<Filter<1>>(bench, s);
    return bench.finish();
}
