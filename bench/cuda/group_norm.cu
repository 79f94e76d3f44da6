// SPDX-License-Identifier: Apache-2.0
/// Every GroupNorm of SD1.5, with its SiLU and without; beside SiLU in its own pass. PyTorch joins in bench/compare.py.
#include "target.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

struct norm : GroupNorm<32> {};
struct norm_silu : GroupNorm<32, Buf<0>, Silu<Out>> {};
struct silu_pass : Elementwise<Silu<Buf<0>>> {};

template <bool WithSilu, class T = fp16>
void group_norm(Bench& bench, const Shape& s) {
    bench.run(s.kind + "/" + s.text() + "/" + name(dtype_of<T>), [&](Case& c) {
        const index_t b = s.key[0], rows = s.key[1], channels = s.key[2], n = b * rows * channels;
        auto x = c.input<T>(n), gamma = c.input<T>(channels), beta = c.input<T>(channels);
        auto y = c.output<T>(n), t = c.output<T>(WithSilu ? n : 1);
        c.bytes(2.0 * static_cast<double>(n) * sizeof(T));
        c.number("count", static_cast<double>(s.count));
        c.text("model", s.model);
        const auto one = [=]<class K>(types<K>) {
            return [=](int i) {
                return prepare<K>(tensor(y[i], b, rows, channels), tensor(gamma[i], channels),
                                  tensor(beta[i], channels), tensor(x[i], b, rows, channels));
            };
        };
        if constexpr (WithSilu) {
            c.ours(one(types<norm_silu>{}));
            c.unfused(
                "SiLU in its own pass",
                [=](int i) {
                    return prepare<norm>(tensor(t[i], b, rows, channels), tensor(gamma[i], channels),
                                         tensor(beta[i], channels), tensor(x[i], b, rows, channels));
                },
                [=](int i) { return prepare<silu_pass>(tensor(y[i], n), tensor<const T>(t[i], n)); });
        } else {
            c.ours(one(types<norm>{}));
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench("group_norm", argc, argv);
    for (const Shape& s : bench.shapes("group_norm_silu")) {
        group_norm<true>(bench, s);
        if (s.model == "unet" && s.count >= 6 && !bench.quick()) group_norm<true, float>(bench, s);
    }
    for (const Shape& s : bench.shapes("group_norm")) group_norm<false>(bench, s);
    return bench.finish();
}
