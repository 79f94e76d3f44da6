// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/elementwise.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct silu_of : Elementwise<Silu<Buf<0>>> {};
struct gelu_of : Elementwise<Gelu<Buf<0>>> {};
struct gelu_tanh_of : Elementwise<GeluTanh<Buf<0>>> {};
struct quick_gelu_of : Elementwise<QuickGelu<Buf<0>>> {};
struct copy : Elementwise<Buf<0>> {};
struct permuted_in : Elementwise<Permute<Buf<0>, 0, 2, 1>> {};
struct permuted_out : Elementwise<Buf<0>, Permuted<Store<0>, 0, 2, 1>> {};
struct broadcast_sum : Elementwise<Add<Buf<0>, Buf<1>>> {};
struct joined_axis : Elementwise<Concat<1, Buf<0>, Buf<1>, Buf<2>>> {};
struct joined_channels : Elementwise<Add<Silu<Concat<-1, Buf<0>, Mul<Buf<1>, Buf<2>>>>, Buf<3>>> {};
struct split_axis : Elementwise<Buf<0>, Partition<1, Store<0>, Store<1>>> {};
struct heads : Elementwise<Mul<Buf<0>, Param<0>>, SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>> {};
struct phase : Elementwise<Buf<0>, Strided<Store<0>, 1, 3, 2>> {};
struct statistics : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};
struct group_means : Elementwise<GroupMean<Buf<0>, Buf<1>, 4>> {};
struct group_scales : Elementwise<Mul<GroupRstd<Buf<0>, Buf<1>, 4, 1e-3>, Buf<2>>> {};
struct ramp : Elementwise<Add<Mul<Coord<-1>, Const<0.5>>, Coord<0>>> {};
struct seven : Elementwise<Const<7.0>> {};
// Numbers that 15 digits do not tell from their neighbours.
struct fractions : Elementwise<Pad<Mul<Buf<0>, Const<1.0 / 3>>, -1, 1, 2, 1.0 / 7>> {};
struct upsampled : Elementwise<Upsample2x<Buf<0>>> {};

template <class T>
struct ElementwiseTest : ::testing::Test {};
TYPED_TEST_SUITE(ElementwiseTest, StorageTypes, StorageNames);

TYPED_TEST(ElementwiseTest, Ragged) {
    for (const auto& e : {Extents<2>{{1, 1}}, {{3, 5}}, {{77, 77}}, {{1, 4099}}, {{9000, 3}}})
        for (unsigned seed = 0; seed < 3; ++seed) {
            const auto x = normal<TypeParam>(seed, e[0], e[1]);
            expect_oracle<silu_of, TypeParam>(e, *x);
        }
    const auto x = normal<TypeParam>(1, 3, 77, 5);
    expect_oracle<gelu_of, TypeParam>(x.extents, *x);
}

TYPED_TEST(ElementwiseTest, Views) {
    const auto x = normal<TypeParam>(1, 3, 7, 24);
    const auto row = normal<TypeParam>(2, 24);
    const auto column = normal<TypeParam>(3, 7, 1);
    expect_oracle<permuted_in, TypeParam>(Extents<3>{{3, 24, 7}}, *x);
    expect_oracle<broadcast_sum, TypeParam>(x.extents, *x, *row);
    expect_oracle<broadcast_sum, TypeParam>(x.extents, *x, *column);
    expect_oracle<broadcast_sum, TypeParam>(Extents<2>{{7, 24}}, *column, *row);
    const auto a = normal<TypeParam>(4, 3, 1, 24), b = normal<TypeParam>(5, 3, 12, 24);
    expect_oracle<joined_axis, TypeParam>(Extents<3>{{3, 20, 24}}, *x, *a, *b);
    // Chunks that are in one operand, dense or not, and chunks of two.
    for (const index_t channels : {index_t(16), index_t(17), index_t(20)}) {
        const auto c = normal<TypeParam>(7, 3, 5, channels), d = normal<TypeParam>(8, 3, 5, 24);
        const auto e = normal<TypeParam>(9, 24);
        const auto f = normal<TypeParam>(10, 3, 1, channels + 24);
        expect_oracle<joined_channels, TypeParam>(Extents<3>{{3, 5, channels + 24}}, *c, *d, *e, *f);
    }
    const auto image = normal<TypeParam>(6, 3, 4, 5, 7);
    expect_oracle<upsampled, TypeParam>(Extents<4>{{3, 8, 10, 7}}, *image);
}

TYPED_TEST(ElementwiseTest, FillsItsOutput) {
    expect_oracle<ramp, TypeParam>(Extents<2>{{5, 21}});
    expect_oracle<seven, TypeParam>(Extents<3>{{3, 2, 21}});
    const auto row = normal<TypeParam>(1, 24);
    expect_oracle<copy, TypeParam>(Extents<3>{{3, 7, 24}}, *row);
    expect_oracle<fractions, TypeParam>(Extents<1>{{27}}, *row);
}

TYPED_TEST(ElementwiseTest, Sinks) {
    const auto x = normal<TypeParam>(1, 3, 7, 24);
    expect_oracle<permuted_out, TypeParam>(Extents<3>{{3, 24, 7}}, *x);
    expect_oracle<split_axis, TypeParam>(outputs(Extents<3>{{3, 2, 24}}, Extents<3>{{3, 5, 24}}), *x);
    expect_oracle<heads, TypeParam>(Extents<4>{{3, 4, 7, 6}}, *x, 0.3);
    expect_oracle<phase, TypeParam>(Extents<3>{{3, 21, 24}}, *x);  // unwritten elements stay NaN on both sides
}

TYPED_TEST(ElementwiseTest, StatisticsMergeToThoseOfAnyGroup) {
    const auto x = gaussian<TypeParam>(1, 3, 1, 2, 130, 6);
    auto y = unwritten<TypeParam>(2, 130, 6);
    auto s = unwritten<float>(2, 6, 2);
    execute<statistics>(executor(3), *y, *s, *x);
    for (index_t b = 0; b < 2; ++b) {
        double mean = 0, m2 = 0, merged_mean = 0, merged_m2 = 0;
        for (index_t i = 0; i < 130; ++i)
            for (index_t c = 2; c < 5; ++c) mean += x.at({{b, i, c}}) / 390;
        for (index_t i = 0; i < 130; ++i)
            for (index_t c = 2; c < 5; ++c) m2 += std::pow(x.at({{b, i, c}}) - mean, 2);
        for (index_t c = 2; c < 5; ++c) merged_mean += s.at({{b, c, 0}}) / 3;
        for (index_t c = 2; c < 5; ++c)
            merged_m2 += s.at({{b, c, 1}}) + 130 * std::pow(s.at({{b, c, 0}}) - merged_mean, 2);
        EXPECT_NEAR(merged_mean, mean, 1e-6);
        EXPECT_NEAR(merged_m2, m2, 1e-5 * m2);
    }
}

// On a GPU blocks share the pixels of the first two, chunks of channels are whole or not, and threads have no pixel.
TYPED_TEST(ElementwiseTest, StatisticsOfManyPixelsAndFew) {
    for (const auto& e : {Extents<3>{{1, 20011, 20}}, {{2, 5003, 72}}, {{3, 9, 130}}, {{2, 1, 8}}, {{1, 70, 3}}}) {
        const auto x = gaussian<TypeParam>(1, 100, 1, e[0], e[1], e[2]);
        auto y = unwritten<TypeParam>(e[0], e[1], e[2]);
        auto s = unwritten<float>(e[0], e[2], 2);
        execute<statistics>(executor(3), *y, *s, *x);
        for (index_t b = 0; b < e[0]; ++b)
            for (index_t c = 0; c < e[2]; ++c) {
                double mean = 0, m2 = 0;
                for (index_t i = 0; i < e[1]; ++i) mean += x.at({{b, i, c}}) / static_cast<double>(e[1]);
                for (index_t i = 0; i < e[1]; ++i) m2 += std::pow(x.at({{b, i, c}}) - mean, 2);
                ASSERT_NEAR(s.at({{b, c, 0}}), mean, 1e-6 * 100) << e[1] << " pixels, channel " << c;
                // Of few pixels, added one by one, rounding tells: step k rounds a mean near 100 by up to r = 2^-18 and
                // keeps (k − 1) / k of what it was off, so it is off by d ≤ r (k + 1) / 2, and squares by 2 d Σ|x − mean|.
                const double n = static_cast<double>(e[1]),
                             most = n < 64 ? std::ldexp(n + 1, -18) * std::sqrt(n * m2) : 1e-5 * m2;
                ASSERT_NEAR(s.at({{b, c, 1}}), m2, most) << e[1] << " pixels, channel " << c;
            }
    }
}

/// Groups of one channel and of several, and a mean that dwarfs the deviation.
TYPED_TEST(ElementwiseTest, NumbersOfGroupsFromStatistics) {
    for (const index_t channels : {4, 20, 72})
        for (const double mean : {0.0, 300.0}) {
            const Extents<3> e{{2, 70, channels}}, one{{2, 1, channels}};
            const auto x = gaussian<TypeParam>(1, mean, 1, e[0], e[1], e[2]);
            const auto gamma = normal<TypeParam>(2, channels);
            auto y = unwritten<TypeParam>(e[0], e[1], e[2]);
            auto s = unwritten<float>(e[0], channels, 2);
            auto means = unwritten<float>(one[0], one[1], one[2]), scales = means;
            execute<statistics>(executor(3), *y, *s, *x);
            execute<group_means>(executor(3), *means, *s, *x);
            execute<group_scales>(executor(3), *scales, *s, *x, *gamma);
            const index_t width = channels / 4;
            for (index_t b = 0; b < e[0]; ++b)
                for (index_t c = 0; c < channels; ++c) {
                    double m = 0, v = 0;
                    const auto each = [&](const auto& f) {
                        for (index_t i = 0; i < e[1]; ++i)
                            for (index_t k = c / width * width; k < (c / width + 1) * width; ++k)
                                f(static_cast<double>(x.at({{b, i, k}})), static_cast<double>(e[1] * width));
                    };
                    each([&](double value, double n) { m += value / n; });
                    each([&](double value, double n) { v += (value - m) * (value - m) / n; });
                    ASSERT_NEAR(means.at({{b, 0, c}}), m, 3e-7 * (std::abs(mean) + 1)) << channels << ", " << c;
                    const double scale = static_cast<double>(gamma.at({{c}})) / std::sqrt(v + 1e-3);
                    ASSERT_NEAR(scales.at({{b, 0, c}}), scale, 1e-5 * std::abs(scale)) << channels << ", " << c;
                }
        }
}

TYPED_TEST(ElementwiseTest, AsExactAsPyTorch) {
    const auto error = []<class K>(K, const TorchCase& t, unsigned seed) {
        const auto x = normal<TypeParam>(seed, t.shape[0]);
        return compare<K, TypeParam>(x.extents, *x).error;
    };
    expect_torch<TypeParam>("silu", [&](const TorchCase& t, unsigned seed) { return error(silu_of(), t, seed); });
    expect_torch<TypeParam>("gelu", [&](const TorchCase& t, unsigned seed) { return error(gelu_of(), t, seed); });
}

/// Compares K on every number of 16 bits with `exact` in double: as far as rounding, and 10^-5 where little is left of
/// what cancels.
template <class K, Storage T, class F>
void expect_activation(F exact) {
    constexpr double ulp = std::is_same_v<T, fp16> ? 0x1p-11 : 0x1p-8;
    auto x = unwritten<T>(65536);
    for (std::size_t bits = 0; bits < x.v.size(); ++bits) {
        const T value = T::from_bits(static_cast<std::uint16_t>(bits));
        x.v[bits] = std::fabs(from_storage<double>(value)) < 1e4 ? value : to_storage<T>(0.0);
    }
    auto y = unwritten<T>(65536);
    execute<K>(executor(), *y, *x);
    for (index_t i = 0; i < 65536; ++i) {
        const double of = from_storage<double>(x.at({{i}})), wanted = exact(of);
        ASSERT_NEAR(from_storage<double>(y.at({{i}})), wanted, 1.1 * ulp * std::fabs(wanted) + 1.1e-5) << of;
    }
}
TYPED_TEST(ElementwiseTest, ActivationsOfEveryNumber) {
    if constexpr (sizeof(TypeParam) == 2) {
        expect_activation<silu_of, TypeParam>([](double x) { return x / (1 + std::exp(-x)); });
        expect_activation<quick_gelu_of, TypeParam>([](double x) { return x / (1 + std::exp(-1.702 * x)); });
        expect_activation<gelu_of, TypeParam>([](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); });
        expect_activation<gelu_tanh_of, TypeParam>([](double x) {
            return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
        });
    }
}

TYPED_TEST(ElementwiseTest, EmbeddingPicksRows) {
    const auto table = normal<TypeParam>(1, 50, 21);
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 14; ++i) ids.push_back(i * 37 % 50);
    ids[3] = 49;
    auto y = unwritten<TypeParam>(2, 7, 21);
    execute<Embedding<>>(executor(), *y, *table, Tensor<const std::int32_t, 2>(ids.data(), {{2, 7}}));
    for (index_t i = 0; i < 14; ++i)
        for (index_t j = 0; j < 21; ++j)
            EXPECT_EQ(y.at({{i / 7, i % 7, j}}), table.at({{ids[static_cast<std::size_t>(i)], j}}));
}

TEST(Elementwise, ScalarsAreReadAtEveryRun) {
    auto x = normal<float>(1, 3, 7, 24);
    auto y = unwritten<float>(3, 4, 7, 6);
    auto by = unwritten<float>(1);
    Placed in(x);
    Placed out(y);
    Placed factor(by);
    const auto k = prepare<heads>(*out, *in, static_cast<const float*>((*factor).data));
    for (const float f : {2.0f, 3.0f}) {
        by.v[0] = f;
        factor.upload();
        k.run(executor());
        out.fetch();
        EXPECT_EQ(y.at({{1, 2, 3, 4}}), f * static_cast<float>(x.at({{1, 3, 16}})));
    }
}

TEST(Elementwise, EmptyTensorsDoNothing) {
    const auto x = unwritten<float>(0, 7), z = unwritten<float>(7, 0);
    expect_oracle<silu_of, float>(x.extents, *x);
    expect_oracle<silu_of, float>(z.extents, *z);
}

TEST(Elementwise, Misfits) {
    const auto x = unwritten<float>(3, 7), other = unwritten<float>(3, 6);
    auto y = unwritten<float>(3, 8);
    EXPECT_NE(
        sentence([&] { prepare<silu_of>(*y, *x); }).find("the output takes [3, 8], the expression has extents [3, 7]"),
        std::string::npos);
    EXPECT_NE(sentence([&] { prepare<broadcast_sum>(*y, *x, *other); }).find("cannot broadcast [3, 7] with [3, 6]"),
              std::string::npos);
    auto odd = unwritten<float>(3, 22, 24);
    const auto cube = unwritten<float>(3, 7, 24);
    EXPECT_NE(sentence([&] { prepare<phase>(*odd, *cube); }).find("is not a multiple of 3"), std::string::npos);
    auto few = unwritten<float>(3, 1, 24), many = unwritten<float>(3, 5, 24);
    EXPECT_NE(sentence([&] { prepare<split_axis>(*few, *many, *cube); }), "");
}

}  // namespace
