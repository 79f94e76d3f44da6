// SPDX-License-Identifier: Apache-2.0
/// Against the definition: every input pixel adds its filter, scaled, to the output.
#include "check.hpp"

#include <inlay/frame/conv_transpose2d.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

template <int K, int Stride, int Pad, int OutPad>
void check(index_t b, index_t h, index_t w, index_t channels, index_t out) {
    const index_t oh = (h - 1) * Stride - 2 * Pad + K + OutPad, ow = (w - 1) * Stride - 2 * Pad + K + OutPad;
    const auto x = normal<float>(1, b, h, w, channels);
    const auto bias = normal<float>(2, out);
    const auto filter = normal<float>(3, channels, out, K, K);
    auto flipped = unwritten<float>(out, K, K, channels), y = unwritten<float>(b, oh, ow, out);
    transposed_filter(filter.v.data(), channels, out, K, flipped.v.data());

    // SiLU first: between the pixels stand zeros, not SiLU of anything.
    using Kernel = ConvTranspose2D<K, Stride, Pad, OutPad, Silu<Buf<0>>, Add<Out, Buf<1>>>;
    const Compared result = compare<Kernel, float>(y.extents, *flipped, *x, *bias);
    std::vector<double> expected(y.v.size());

    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(bias.v[i % bias.v.size()]);
    for (index_t n = 0; n < b; ++n)
        for (index_t i = 0; i < h; ++i)
            for (index_t j = 0; j < w; ++j)
                for (index_t c = 0; c < channels; ++c) {
                    const double v = x.at({{n, i, j, c}});
                    for (index_t r = 0; r < K; ++r)
                        for (index_t s = 0; s < K; ++s) {
                            const index_t p = i * Stride - Pad + r, q = j * Stride - Pad + s;
                            if (p < 0 || p >= oh || q < 0 || q >= ow) continue;
                            for (index_t o = 0; o < out; ++o)
                                expected[static_cast<std::size_t>(((n * oh + p) * ow + q) * out + o)] +=
                                    v / (1 + std::exp(-v)) *
                                    filter.at({{c, o, r, s}});
                        }
                }
    EXPECT_LE(relative_l2(result.oracle, expected), 1e-13);
    EXPECT_LE(result.error, fp32_error);
}

TEST(ConvTranspose2D, AgainstItsDefinition) {
    check<2, 2, 0, 0>(1, 4, 5, 3, 4);
    check<3, 2, 1, 1>(2, 3, 4, 16, 5);
    check<4, 2, 1, 0>(1, 5, 3, 7, 17);
    check<3, 1, 1, 0>(3, 4, 4, 4, 3);
    check<3, 3, 0, 0>(1, 2, 3, 5, 2);
}

}  // namespace
