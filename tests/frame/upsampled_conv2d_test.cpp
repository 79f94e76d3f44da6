// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/upsampled_conv2d.hpp>
#include <inlay/rewrite/upsample_conv.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

// With a schedule that compiles in seconds, but for one.
struct plain : UpsampledConv2D<> {};
struct biased : UpsampledConv2D<Buf<0>, Add<Out, Buf<1>>, Store<0>, Small> {};
struct cosine : UpsampledConv2D<Cos<Buf<0>>, Out, Store<0>, Small> {};  // cos 0 = 1: padding the input would show
struct joined : UpsampledConv2D<Concat<-1, Buf<0>, Buf<1>>, Out, Store<0>, Small> {};
struct residual : UpsampledConv2D<Buf<0>, Add<Mul<Out, Coord<1>>, Buf<1>>, Store<0>, Small> {};
struct channels_first : UpsampledConv2D<Buf<0>, Out, Permuted<Store<0>, 0, 3, 1, 2>, Small> {};
struct with_statistics : UpsampledConv2D<Buf<0>, Out, WithStats<Store<0>, 1>, Small> {};

/// The 3×3 convolution of the upsampled image, written out, with w [O, 3, 3, C].
template <class T, class F>
std::vector<double> upsampled_convolution(const Array<T, 4>& x, const Array<double, 4>& w, F&& f) {
    const auto [b, h, v, channels] = std::array{x.extents[0], 2 * x.extents[1], 2 * x.extents[2], x.extents[3]};
    std::vector<double> y;
    for (index_t n = 0; n < b; ++n)
        for (index_t i = 0; i < h; ++i)
            for (index_t j = 0; j < v; ++j)
                for (index_t o = 0; o < w.extents[0]; ++o) {
                    double sum = 0;
                    for (index_t r = 0; r < 3; ++r)
                        for (index_t s = 0; s < 3; ++s) {
                            const index_t p = i + r - 1, q = j + s - 1;
                            if (p < 0 || p >= h || q < 0 || q >= v) continue;
                            for (index_t c = 0; c < channels; ++c)
                                sum += f(x.at({{n, p / 2, q / 2, c}})) * w.at({{o, r, s, c}});
                        }
                    y.push_back(sum);
                }
    return y;
}

/// Weights of so few bits that their sums are exact in any storage type.
Array<double, 4> filter(unsigned seed, index_t o, index_t c) {
    auto w = normal<double>(seed, o, 3, 3, c);
    for (double& x : w.v) x = std::round(8 * x) / 64;
    return w;
}
template <class T>
Array<T, 3> phases_of(const Array<double, 4>& w) {
    const index_t o = w.extents[0], c = w.extents[3];
    auto to = unwritten<T>(4, o, 4 * c);
    rules::phase_weights(*w, reshaped(*to, 4, o, 2, 2, c));
    return to;
}

template <class T>
struct UpsampledConv2DTest : ::testing::Test {
    template <class K, class F = double (*)(double)>
    static void expect_definition(
        index_t b, index_t h, index_t w, index_t c, index_t o, F f = [](double x) { return x; }) {
        const auto x = normal<T>(static_cast<unsigned>(b + h + w), b, h, w, c);
        const auto k = filter(static_cast<unsigned>(c), o, c);
        const Compared r = compare<K, T>(Extents<4>{{b, 2 * h, 2 * w, o}}, *phases_of<T>(k), *x);
        const std::vector<double> y = upsampled_convolution(x, k, f);
        ASSERT_EQ(r.values.size(), y.size());
        EXPECT_LE(relative_l2(r.oracle, y), 1e-13);
        const bool plain = std::is_same_v<typename K::prologues, types<Buf<0>>>;
        EXPECT_LE(relative_l2(r.values, y), plain ? tolerance(r) : tolerance_computing<T>(r))
            << b << "x" << h << "x" << w << "x" << c << " -> " << o;
    }
};
TYPED_TEST_SUITE(UpsampledConv2DTest, StorageTypes, StorageNames);

TYPED_TEST(UpsampledConv2DTest, AgainstItsDefinition) {
    this->template expect_definition<plain>(2, 3, 5, 7, 5);
    this->template expect_definition<plain>(1, 1, 1, 4, 3);
    this->template expect_definition<plain>(3, 4, 4, 72, 34);
    this->template expect_definition<plain>(1, 9, 10, 64, 48);
}

TYPED_TEST(UpsampledConv2DTest, PadsAfterThePrologue) {
    this->template expect_definition<cosine>(2, 3, 4, 8, 5, [](double x) { return std::cos(x); });
}

TYPED_TEST(UpsampledConv2DTest, PrologueEpilogueSink) {
    const auto x = normal<TypeParam>(1, 2, 3, 4, 10), more = normal<TypeParam>(2, 2, 3, 4, 6),
               large = normal<TypeParam>(3, 2, 6, 8, 21);
    const auto bias = normal<TypeParam>(4, 21);
    const auto w = phases_of<TypeParam>(filter(5, 21, 10)), w16 = phases_of<TypeParam>(filter(6, 21, 16));
    expect_oracle<biased, TypeParam>(large.extents, *w, *x, *bias);
    expect_oracle<joined, TypeParam>(large.extents, *w16, *x, *more);
    expect_oracle<residual, TypeParam>(large.extents, *w, *x, *large);
    expect_oracle<channels_first, TypeParam>(Extents<4>{{2, 21, 6, 8}}, *w, *x);
}

TYPED_TEST(UpsampledConv2DTest, StatisticsOfWhatWasStored) {
    const auto x = normal<TypeParam>(1, 2, 5, 6, 10);
    const auto w = phases_of<TypeParam>(filter(3, 21, 10));
    auto y = unwritten<TypeParam>(2, 10, 12, 21);
    auto s = unwritten<float>(2, 21, 2);
    execute<with_statistics>(executor(3), *y, *s, *w, *x);
    for (index_t b = 0; b < 2; ++b)
        for (index_t c = 0; c < 21; ++c) {
            double mean = 0, m2 = 0;
            for (index_t i = 0; i < 120; ++i) mean += y.at({{b, i / 12, i % 12, c}}) / 120;
            for (index_t i = 0; i < 120; ++i) m2 += std::pow(y.at({{b, i / 12, i % 12, c}}) - mean, 2);
            EXPECT_NEAR(s.at({{b, c, 0}}), mean, 1e-6);
            EXPECT_NEAR(s.at({{b, c, 1}}), m2, 1e-5 * m2);
        }
}

TYPED_TEST(UpsampledConv2DTest, PackedWeightsGiveTheSameBits) {
    const auto x = normal<TypeParam>(1, 2, 4, 6, 10);
    auto w = phases_of<TypeParam>(filter(3, 21, 10));
    const PackedWeight packed(*w);
    const auto out = as_outputs(Extents<4>{{2, 8, 12, 21}});
    EXPECT_TRUE(same_bits(run<plain, TypeParam>(executor(), out, *w, *x),
                          run<plain, TypeParam>(executor(), out, *packed, *x)));
}

TEST(UpsampledConv2D, Misfits) {
    const auto x = unwritten<float>(2, 4, 6, 10);
    const auto w = unwritten<float>(4, 5, 40), w1 = unwritten<float>(1, 5, 40), w9 = unwritten<float>(4, 5, 36);
    auto y = unwritten<float>(2, 8, 12, 5), other = unwritten<float>(2, 4, 6, 5);
    EXPECT_NE(sentence([&] { prepare<plain>(*y, *w1, *x); })
                  .find("the weight [1, 5, 40] has 1 phases, expected 4 (the filter [O, 3, 3, C] goes through "
                        "phase_weights)"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<plain>(*y, *w9, *x); })
                  .find("the input [2, 4, 6, 10] has 10 channels (the last extent: images are NHWC), the weight "
                        "[4, 5, 36] takes 36 / 4 under its four taps"),
              std::string::npos);
    const Tensor<const float, 4> vast(x.v.data(), {{1, index_t(1) << 29, 1, 10}}, {{0, 0, 0, 1}});
    EXPECT_NE(sentence([&] { prepare<plain>(*y, *w, vast); })
                  .find("the input [1, 536870912, 1, 10] has an extent of 2^29 or more"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<plain>(*other, *w, *x); })
                  .find("the output takes [2, 4, 6, 5], the kernel computes [2, 8, 12, 5]"),
              std::string::npos);
}

}  // namespace
