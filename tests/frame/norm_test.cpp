// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/norm.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct layer : LayerNorm<> {};
struct layer_silu_bias : LayerNorm<Buf<0>, Silu<Add<Out, Buf<1>>>> {};
struct layer_sum : LayerNorm<Add<Buf<0>, Buf<1>>> {};
struct layer_twice : LayerNorm<Concat<0, Buf<0>, Buf<0>>> {};
struct layer_joined : LayerNorm<Concat<-1, Buf<0>, Buf<1>, Buf<2>>> {};
struct layer_permuted : LayerNorm<Buf<0>, Out, Permuted<Store<0>, 2, 0, 1>> {};
struct layer_statistics : LayerNorm<Buf<0>, Out, WithStats<Store<0>, 1>> {};
struct layer_eps : LayerNorm<Buf<0>, Out, Store<0>, 0.5> {};
struct rms : RMSNorm<> {};
struct rms_gelu : RMSNorm<Buf<0>, Gelu<Out>, Partition<-1, Store<0>, Store<1>>> {};
struct group32 : GroupNorm<32> {};
struct group4 : GroupNorm<4> {};
struct group4_silu : GroupNorm<4, Buf<0>, Silu<Out>, Store<0>, 1e-6> {};
struct group4_skip : GroupNorm<4, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};
struct group1_permuted : GroupNorm<1, Buf<0>, Out, Permuted<Store<0>, 0, 3, 1, 2>> {};
struct group40 : GroupNorm<40> {};
struct group4_statistics : GroupNorm<4, Buf<0>, Out, WithStats<Store<0>, 1>> {};

/// A mean of 1000 costs fp32 inputs three digits before any kernel sees them; the rest is the kernel's.
double bound(double mean, double rounding) { return (mean == 0 ? fp32_error : 1e-5 + mean * 1e-7) + 1.25 * rounding; }

template <class T>
struct NormTest : ::testing::Test {};
TYPED_TEST_SUITE(NormTest, StorageTypes, StorageNames);

TYPED_TEST(NormTest, LayerNormRagged) {
    for (const auto& [m, c] : {std::pair<index_t, index_t>{1, 1}, {3, 5}, {77, 64}, {5, 77}, {2, 1280}, {3, 5000},
                               {1, 16384}, {2, 20001}, {5, 3}, {5, 4}, {5, 31}, {5, 33}, {5, 321}})
        for (unsigned seed = 0; seed < 3; ++seed) {
            const auto x = normal<TypeParam>(seed, m, c);
            const auto g = normal<TypeParam>(seed + 10, c), b = normal<TypeParam>(seed + 20, c);
            expect_oracle<layer, TypeParam>(Extents<2>{{m, c}}, *g, *b, *x);
        }
}

TYPED_TEST(NormTest, RMSNormRagged) {
    for (const auto& [m, c] : {std::pair<index_t, index_t>{1, 1}, {3, 5}, {77, 64}, {5, 77}, {3, 5000}, {1, 16384}, {5, 3}, {5, 31},
                               {5, 321}}) {
        const auto x = normal<TypeParam>(1, m, c);
        const auto g = normal<TypeParam>(2, c);
        expect_oracle<rms, TypeParam>(Extents<2>{{m, c}}, *g, *x);
    }
    const auto x = normal<TypeParam>(1, 3, 7, 24);
    const auto g = normal<TypeParam>(2, 24);
    expect_oracle<rms_gelu, TypeParam>(outputs(Extents<3>{{3, 7, 5}}, Extents<3>{{3, 7, 19}}), *g, *x);
}

TYPED_TEST(NormTest, GroupNormRagged) {
    for (const auto& e : {Extents<4>{{1, 1, 1, 4}}, {{3, 5, 7, 12}}, {{2, 9, 11, 20}}, {{1, 17, 13, 64}}})
        for (unsigned seed = 0; seed < 3; ++seed) {
            const auto x = normal<TypeParam>(seed, e[0], e[1], e[2], e[3]);
            const auto g = normal<TypeParam>(seed + 10, e[3]), b = normal<TypeParam>(seed + 20, e[3]);
            expect_oracle<group4, TypeParam>(e, *g, *b, *x);
            expect_oracle<group4_silu, TypeParam>(e, *g, *b, *x);
        }
}

TYPED_TEST(NormTest, AnyNumberOfAxes) {
    const auto x = normal<TypeParam>(1, 3, 12);
    const auto y = normal<TypeParam>(1, 3, 7, 12);
    const auto g = normal<TypeParam>(2, 12);
    expect_oracle<group4, TypeParam>(Extents<2>{{3, 12}}, *g, *g, *x);
    expect_oracle<group4, TypeParam>(Extents<3>{{3, 7, 12}}, *g, *g, *y);
    expect_oracle<layer, TypeParam>(Extents<3>{{3, 7, 12}}, *g, *g, *y);
}

TYPED_TEST(NormTest, LargeMeans) {
    for (const double mean : {10.0, 1000.0}) {
        const auto x = gaussian<TypeParam>(1, mean, 1, 7, 770);
        const auto g = normal<TypeParam>(2, 770), b = normal<TypeParam>(3, 770);
        const Compared l = compare<layer, TypeParam>(Extents<2>{{7, 770}}, *g, *b, *x);
        EXPECT_LE(l.error, bound(mean, l.rounding)) << "LayerNorm, mean " << mean;
        const auto image = gaussian<TypeParam>(1, mean, 1, 2, 9, 15, 64);
        const auto gi = normal<TypeParam>(2, 64);
        const Compared c = compare<group4, TypeParam>(Extents<4>{{2, 9, 15, 64}}, *gi, *gi, *image);
        EXPECT_LE(c.error, bound(mean, c.rounding)) << "GroupNorm, mean " << mean;
    }
}

// Channels whose means differ by far more than they vary: merging partial statistics must not cancel.
TEST(Norm, ChannelsFarApart) {
    auto x = normal<float>(1, 2, 9, 15, 64);
    for (std::size_t i = 0; i < x.v.size(); ++i) x.v[i] += 1000.0f * static_cast<float>(i % 64);
    const auto g = normal<float>(2, 64);
    EXPECT_LE((compare<group4, float>(x.extents, *g, *g, *x).error), 1e-5);
}

TYPED_TEST(NormTest, ConstantInputIsTheShift) {
    const auto x = gaussian<TypeParam>(1, 3.7, 0, 2, 5, 8, 12);
    const auto g = normal<TypeParam>(2, 12), b = normal<TypeParam>(3, 12);
    const Compared c = compare<group4, TypeParam>(x.extents, *g, *b, *x);
    EXPECT_LE(c.error, 1e-4 + 1.25 * c.rounding);
}

TYPED_TEST(NormTest, ProloguesEpiloguesSinks) {
    const auto x = normal<TypeParam>(1, 3, 7, 24), y = normal<TypeParam>(2, 3, 7, 24);
    const auto g = normal<TypeParam>(3, 24), b = normal<TypeParam>(4, 24);
    expect_oracle<layer_silu_bias, TypeParam>(x.extents, *g, *b, *x, *y);
    expect_oracle<layer_sum, TypeParam>(x.extents, *g, *b, *x, *y);
    expect_oracle<layer_permuted, TypeParam>(Extents<3>{{24, 3, 7}}, *g, *b, *x);
    expect_oracle<layer_eps, TypeParam>(x.extents, *g, *b, *x);
    // 20 + 12 channels in groups of 8: a group reads both.
    const auto left = normal<TypeParam>(5, 3, 4, 6, 20), right = normal<TypeParam>(6, 3, 4, 6, 12);
    const auto g32 = normal<TypeParam>(7, 32);
    expect_oracle<group4_skip, TypeParam>(Extents<4>{{3, 4, 6, 32}}, *g32, *g32, *left, *right);
    expect_oracle<group1_permuted, TypeParam>(Extents<4>{{3, 20, 4, 6}}, *normal<TypeParam>(8, 20),
                                              *normal<TypeParam>(9, 20), *left);
}

// Rows in chunks of 8, rows of which no chunk lies in one piece, and rows that are streamed.
TYPED_TEST(NormTest, RowsInPieces) {
    const auto row = [](index_t c) { return normal<TypeParam>(7, c); };
    for (const index_t c : {1, 64, 77, 320, 9000}) {
        const auto x = normal<TypeParam>(1, 2, 5, c);
        expect_oracle<layer_twice, TypeParam>(Extents<3>{{4, 5, c}}, *row(c), *row(c), *x);
    }
    for (const auto& e : {Extents<3>{{64, 320, 16}}, {{5, 19, 1}}, {{8, 4000, 5001}}}) {
        const auto x = normal<TypeParam>(1, 3, e[0]), y = normal<TypeParam>(2, 3, e[1]),
                   z = normal<TypeParam>(3, 3, e[2]);
        const index_t c = e[0] + e[1] + e[2];
        expect_oracle<layer_joined, TypeParam>(Extents<2>{{3, c}}, *row(c), *row(c), *x, *y, *z);
    }
}

TYPED_TEST(NormTest, StatisticsOfWhatWasStored) {
    const auto check = [](const auto& y, const auto& s) {
        const index_t channels = y.extents.back(0), pixels = count(y.extents) / y.extents[0] / channels;
        for (index_t b = 0; b < y.extents[0]; ++b)
            for (index_t c = 0; c < channels; ++c) {
                const auto value = [&](index_t i) {
                    return from_storage<double>(y.v[static_cast<std::size_t>((b * pixels + i) * channels + c)]);
                };
                double mean = 0, m2 = 0;
                for (index_t i = 0; i < pixels; ++i) mean += value(i) / static_cast<double>(pixels);
                for (index_t i = 0; i < pixels; ++i) m2 += std::pow(value(i) - mean, 2);
                EXPECT_NEAR(s.at({{b, c, 0}}), mean, 1e-6);
                EXPECT_NEAR(s.at({{b, c, 1}}), m2, 1e-5 * m2);
            }
    };
    const auto x = normal<TypeParam>(1, 2, 9, 13, 20);
    const auto g = normal<TypeParam>(2, 20), b = normal<TypeParam>(3, 20);
    auto y = unwritten<TypeParam>(2, 9, 13, 20);
    auto s = unwritten<float>(2, 20, 2);
    execute<layer_statistics>(executor(3), *y, *s, *g, *b, *x);
    check(y, s);
    execute<group4_statistics>(executor(3), *y, *s, *g, *b, *x);
    check(y, s);
}

TYPED_TEST(NormTest, AsExactAsPyTorch) {
    expect_torch<TypeParam>("layernorm", [](const TorchCase& t, unsigned seed) {
        const index_t m = t.shape[0], c = t.shape[1];
        const auto x = gaussian<TypeParam>(seed, t.mean, 1, m, c);
        const auto g = normal<TypeParam>(seed + 10, c), b = normal<TypeParam>(seed + 20, c);
        return compare<layer, TypeParam>(Extents<2>{{m, c}}, *g, *b, *x).error;
    });
    expect_torch<TypeParam>("groupnorm", [](const TorchCase& t, unsigned seed) {
        const index_t n = t.shape[0], h = t.shape[1], w = t.shape[2], c = t.shape[3];
        const auto x = gaussian<TypeParam>(seed, t.mean, 1, n, h, w, c);
        const auto g = normal<TypeParam>(seed + 10, c), b = normal<TypeParam>(seed + 20, c);
        return compare<group32, TypeParam>(Extents<4>{{n, h, w, c}}, *g, *b, *x).error;
    });
}

/// x·a + b in fp32, as PyTorch applies a GroupNorm, from exact moments: a mean of 10⁴ is rounded, and b.
std::vector<double> as_scale_and_shift(const Array<float, 4>& x, int groups, const Array<float, 1>& g,
                                       const Array<float, 1>& b) {
    const index_t channels = x.extents[3], width = channels / groups, pixels = x.extents[1] * x.extents[2];
    std::vector<double> y(x.v.size());
    for (index_t item = 0; item < x.extents[0]; ++item)
        for (index_t group = 0; group < groups; ++group) {
            const auto each = [&](auto&& f) {
                for (index_t p = 0; p < pixels; ++p)
                    for (index_t c = group * width; c < (group + 1) * width; ++c)
                        f(static_cast<std::size_t>((item * pixels + p) * channels + c), static_cast<std::size_t>(c));
            };
            double mean = 0, m2 = 0;
            const double n = static_cast<double>(pixels * width);
            each([&](std::size_t i, std::size_t) { mean += static_cast<double>(x.v[i]) / n; });
            each([&](std::size_t i, std::size_t) { m2 += std::pow(static_cast<double>(x.v[i]) - mean, 2); });
            const float m = static_cast<float>(mean), rstd = static_cast<float>(1 / std::sqrt(m2 / n + 1e-5));
            each([&](std::size_t i, std::size_t c) {
                const float scale = rstd * g.v[c], shift = b.v[c] - m * scale;
                y[i] = static_cast<double>(std::fma(x.v[i], scale, shift));
            });
        }
    return y;
}
TEST(Norm, GroupNormOfLargeMeans) {
    const auto check = [](double mean, index_t channels, index_t height, index_t width) {
        std::vector<double> ratios;
        for (unsigned seed = 0; seed < 5; ++seed) {
            const auto x = gaussian<float>(seed, mean, 1, 2, height, width, channels);
            const auto g = normal<float>(seed + 10, channels), b = normal<float>(seed + 20, channels);
            const Compared c = compare<group40, float>(x.extents, *g, *b, *x);
            ratios.push_back(c.error / relative_l2(as_scale_and_shift(x, 40, g, b), c.oracle));
        }
        std::sort(ratios.begin(), ratios.end());
        EXPECT_LE(ratios[2], 1.25) << "mean " << mean << ", " << channels << " channels, " << height << " x " << width;
    };
    for (const index_t channels : {40, 80, 320})
        for (const auto& [height, width] : {std::pair<index_t, index_t>{1, 7}, {8, 8}, {31, 9}})
            check(1e4, channels, height, width);
    // About 0 rounding the moments is what counts, which this yardstick does not: the cases of PyTorch's own errors do.
    for (const double mean : {1., 1.9, 2.1, 4., 10., 30.}) check(mean, 320, 8, 8);
}

TEST(Norm, NaNSpreadsOverItsGroupAlone) {
    auto x = normal<float>(1, 1, 2, 3, 8);
    x.v[8] = std::numeric_limits<float>::quiet_NaN();  // pixel 1, group 0
    const auto g = normal<float>(2, 8);
    const auto y = std::get<0>(run<group4, float>(executor(), as_outputs(x.extents), *g, *g, *x));
    for (index_t i = 0; i < count(y.extents); ++i)
        EXPECT_EQ(std::isnan(y.v[static_cast<std::size_t>(i)]), i % 8 < 2) << i;
}

TEST(Norm, Misfits) {
    const auto x = unwritten<float>(2, 3, 10);
    auto y = unwritten<float>(2, 3, 10);
    const auto ten = unwritten<float>(10), nine = unwritten<float>(9);
    EXPECT_NE(sentence([&] {
                  prepare<layer>(*y, *nine, *ten, *x);
              }).find("the input [2, 3, 10] has 10 channels, gamma has 9"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<layer>(*y, *ten, *nine, *x); }).find("beta has 9"), std::string::npos);
    EXPECT_NE(sentence([&] { prepare<rms>(*y, *nine, *x); }).find("gamma has 9"), std::string::npos);
    EXPECT_NE(sentence([&] { prepare<group4>(*y, *ten, *ten, *x); }).find("10 channels are not a multiple of 4 groups"),
              std::string::npos);
}

}  // namespace
