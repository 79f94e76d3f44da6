// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/conv2d.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

// But for one, with a schedule that compiles in seconds: what they test does not depend on it.
template <class Win, class In = Buf<0>, class Epilogue = Out, class S = Store<0>>
using Conv = Conv2D<Win, In, Epilogue, S, Small>;

struct conv1 : Conv<Filter<1>> {};
struct conv3 : Conv2D<Filter<3>> {};
struct conv5 : Conv<Filter<5>> {};
struct conv1x3 : Conv<Filter<1, 3, 1, 1>> {};
struct stride2 : Conv<Filter<3, 3, 2, 1>> {};
struct lopsided : Conv<Filter<3, 3, 2, 0, 1>> {};  // the downsampling of the VAE's encoder
struct unpadded : Conv<Filter<3, 3, 1, 0>> {};
struct dilated : Conv<Filter<3, 3, 1, 2, 2, 2>> {};
struct grouped : Conv<Filter<3, 3, 1, 1, 1, 1, 2>> {};
struct everything : Conv<Filter<3, 3, 2, 0, 1, 2, 2>> {};
struct biased : Conv<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct cosine_input : Conv<Filter<3>, Cos<Buf<0>>> {};  // cos 0 = 1: padding the input would show
struct upsampled : Conv<Filter<3>, Upsample2x<Buf<0>>> {};
struct skip : Conv<Filter<3>, Concat<-1, Buf<0>, Buf<1>>> {};
struct both_halves : Conv<Filter<3>, Mul<Concat<0, Buf<0>, Buf<0>>, Param<0>>> {};
using Row = Reshape<Gather<Buf<2>, Buf<3>, 0>, 1, 1, 1, -1>;
struct time_residual : Conv<Filter<3>, Buf<0>, Add<Add<Add<Out, Buf<1>>, Row>, Buf<4>>> {};
struct channels_first : Conv<Filter<3>, Buf<0>, Out, Permuted<Store<0>, 0, 3, 1, 2>> {};
struct phase : Conv<Filter<2, 2, 1, 1, 0>, Buf<0>, Out, Strided<Strided<Store<0>, 1, 2, 1>, 2, 2, 0>> {};
struct parts : Conv<Filter<3>, Buf<0>, Out, Partition<-1, Store<0>, Store<1>>> {};
struct with_statistics : Conv<Filter<3>, Buf<0>, Out, WithStats<Store<0>, 1>> {};

// The definition, written out. f: of the input, before it is padded.
template <class Win, class T, class F>
std::vector<double> convolution(const Array<T, 4>& x, const Array<T, 4>& w, F&& f) {
    const index_t b = x.extents[0], height = x.extents[1], width = x.extents[2];
    const index_t out = w.extents[0], each = w.extents[3], out_each = out / Win::groups;
    const index_t h = (height + Win::before + Win::after - Win::dilation * (Win::rows - 1) - 1) / Win::stride + 1;
    const index_t v = (width + Win::before + Win::after - Win::dilation * (Win::cols - 1) - 1) / Win::stride + 1;
    std::vector<double> y;
    for (index_t n = 0; n < b; ++n)
        for (index_t i = 0; i < h; ++i)
            for (index_t j = 0; j < v; ++j)
                for (index_t o = 0; o < out; ++o) {
                    double sum = 0;
                    for (index_t r = 0; r < Win::rows; ++r)
                        for (index_t s = 0; s < Win::cols; ++s) {
                            const index_t p = i * Win::stride + r * Win::dilation - Win::before;
                            const index_t q = j * Win::stride + s * Win::dilation - Win::before;
                            if (p < 0 || p >= height || q < 0 || q >= width) continue;
                            for (index_t c = 0; c < each; ++c)
                                sum += f(x.at({{n, p, q, o / out_each * each + c}})) * w.at({{o, r, s, c}});
                        }
                    y.push_back(sum);
                }
    return y;
}

template <class T>
struct Conv2DTest : ::testing::Test {
    static auto weight(unsigned seed, index_t o, index_t r, index_t s, index_t c) {
        return gaussian<T>(seed + 100, 0, 1 / std::sqrt(static_cast<double>(r * s * c)), o, r, s, c);
    }
    // Against the plain loop, which shares nothing with the frame, and the oracle.
    template <class K, class F = double (*)(double)>
    static void expect_definition(
        index_t b, index_t h, index_t w, index_t c, index_t o, F f = [](double x) { return x; }) {
        using Win = typename K::window;
        const auto x = normal<T>(static_cast<unsigned>(b + h + w), b, h, w, c);
        const auto k = weight(static_cast<unsigned>(c), o, Win::rows, Win::cols, c / Win::groups);
        const Extents<4> out{{b, Win::extent(h, Win::rows), Win::extent(w, Win::cols), o}};
        const Compared r = compare<K, T>(out, *k, *x);
        const std::vector<double> y = convolution<Win>(x, k, f);
        ASSERT_EQ(r.values.size(), y.size()) << name<K>();
        EXPECT_LE(relative_l2(r.oracle, y), 1e-13) << name<K>();
        const bool plain = std::is_same_v<typename K::prologues, types<Buf<0>>>;
        EXPECT_LE(relative_l2(r.values, y), plain ? tolerance(r) : tolerance_computing<T>(r))
            << name<K>() << " " << b << "x" << h << "x" << w << "x" << c << " -> " << o;
    }
};
TYPED_TEST_SUITE(Conv2DTest, StorageTypes, StorageNames);

TYPED_TEST(Conv2DTest, Filters) {
    this->template expect_definition<conv1>(3, 5, 9, 7, 5);
    this->template expect_definition<conv3>(3, 5, 9, 7, 5);
    this->template expect_definition<conv3>(1, 1, 1, 4, 3);
    this->template expect_definition<conv3>(2, 8, 6, 20, 50);
    this->template expect_definition<conv3>(1, 11, 7, 33, 4);
    this->template expect_definition<conv5>(1, 9, 6, 5, 4);
    this->template expect_definition<conv1x3>(1, 9, 6, 5, 4);
}

TYPED_TEST(Conv2DTest, StridesPaddingDilationGroups) {
    this->template expect_definition<stride2>(3, 8, 6, 7, 5);
    this->template expect_definition<stride2>(1, 7, 9, 16, 16);
    this->template expect_definition<lopsided>(2, 8, 6, 7, 5);
    this->template expect_definition<lopsided>(1, 7, 9, 7, 5);
    this->template expect_definition<unpadded>(2, 5, 9, 7, 5);
    this->template expect_definition<dilated>(2, 5, 9, 7, 5);
    this->template expect_definition<grouped>(3, 5, 9, 6, 10);
    this->template expect_definition<grouped>(1, 4, 4, 66, 34);
    this->template expect_definition<everything>(2, 9, 8, 6, 4);
}

TYPED_TEST(Conv2DTest, PadsAfterThePrologue) {
    this->template expect_definition<cosine_input>(2, 5, 9, 7, 5, [](double x) { return std::cos(x); });
}

TYPED_TEST(Conv2DTest, Prologues) {
    const auto x = normal<TypeParam>(1, 3, 4, 3, 10), y = normal<TypeParam>(2, 3, 4, 3, 6);
    const auto w = this->weight(3, 5, 3, 3, 10), w16 = this->weight(4, 5, 3, 3, 16);
    expect_oracle<upsampled, TypeParam>(Extents<4>{{3, 8, 6, 5}}, *w, *x);
    expect_oracle<skip, TypeParam>(Extents<4>{{3, 4, 3, 5}}, *w16, *x, *y);
    expect_oracle_computing<both_halves, TypeParam>(Extents<4>{{6, 4, 3, 5}}, *w, *x, 0.3);
}

TYPED_TEST(Conv2DTest, BiasTimeRowAndResidual) {
    const auto x = normal<TypeParam>(1, 3, 4, 6, 10), residual = normal<TypeParam>(2, 3, 4, 6, 21);
    const auto w = this->weight(3, 21, 3, 3, 10);
    const auto bias = normal<TypeParam>(4, 21);
    const auto table = normal<TypeParam>(5, 4, 21);
    for (std::int32_t step : {0, 3}) {
        const Tensor<const std::int32_t, 1> row(&step, {{1}});
        expect_oracle<time_residual, TypeParam>(Extents<4>{{3, 4, 6, 21}}, *w, *x, *bias, *table, row, *residual);
    }
}

TYPED_TEST(Conv2DTest, Sinks) {
    const auto x = normal<TypeParam>(1, 3, 4, 6, 10);
    const auto w = this->weight(3, 21, 3, 3, 10);
    expect_oracle<channels_first, TypeParam>(Extents<4>{{3, 21, 4, 6}}, *w, *x);
    expect_oracle<parts, TypeParam>(outputs(Extents<4>{{3, 4, 6, 2}}, Extents<4>{{3, 4, 6, 19}}), *w, *x);
}

TYPED_TEST(Conv2DTest, PhaseOfAnUpsampledConvolution) {
    const auto x = normal<TypeParam>(1, 2, 4, 6, 10);
    const auto w = this->weight(3, 5, 2, 2, 10);
    const auto y = std::get<0>(run<phase, TypeParam>(executor(), as_outputs(Extents<4>{{2, 8, 12, 5}}), *w, *x));
    const auto dense = convolution<Filter<2, 2, 1, 1, 0>>(x, w, [](double v) { return v; });
    std::vector<double> seen;
    for (index_t i = 0; i < count(y.extents); ++i) {
        const auto c = unravel(i, y.extents);
        if (c[1] % 2 == 1 && c[2] % 2 == 0) seen.push_back(y.at(c));
        else EXPECT_TRUE(std::isnan(y.at(c)));
    }
    ASSERT_EQ(seen.size(), dense.size());
    EXPECT_LE(relative_l2(seen, dense), fp32_error + 1.25 * rounding_of<TypeParam>(dense));
}

TYPED_TEST(Conv2DTest, StatisticsOfWhatWasStored) {
    const auto x = normal<TypeParam>(1, 2, 9, 11, 10);
    const auto w = this->weight(3, 21, 3, 3, 10);
    auto y = unwritten<TypeParam>(2, 9, 11, 21);
    auto s = unwritten<float>(2, 21, 2);
    execute<with_statistics>(executor(3), *y, *s, *w, *x);
    for (index_t b = 0; b < 2; ++b)
        for (index_t c = 0; c < 21; ++c) {
            double mean = 0, m2 = 0;
            for (index_t i = 0; i < 99; ++i) mean += y.at({{b, i / 11, i % 11, c}}) / 99;
            for (index_t i = 0; i < 99; ++i) m2 += std::pow(y.at({{b, i / 11, i % 11, c}}) - mean, 2);
            EXPECT_NEAR(s.at({{b, c, 0}}), mean, 1e-6);
            EXPECT_NEAR(s.at({{b, c, 1}}), m2, 1e-5 * m2);
        }
}

TYPED_TEST(Conv2DTest, PackedWeightsGiveTheSameBits) {
    const auto x = normal<TypeParam>(1, 2, 4, 6, 10);
    auto w = this->weight(3, 21, 3, 3, 10), half_width = this->weight(4, 22, 3, 3, 5);
    const PackedWeight packed(*w), packed_halves(*half_width, 2);
    const auto out = as_outputs(Extents<4>{{2, 4, 6, 21}});
    EXPECT_TRUE(same_bits(run<conv3, TypeParam>(executor(), out, *w, *x),
                          run<conv3, TypeParam>(executor(), out, *packed, *x)));
    const auto out2 = as_outputs(Extents<4>{{2, 4, 6, 22}});
    EXPECT_TRUE(same_bits(run<grouped, TypeParam>(executor(), out2, *half_width, *x),
                          run<grouped, TypeParam>(executor(), out2, *packed_halves, *x)));
}

TYPED_TEST(Conv2DTest, AsExactAsPyTorch) {
    expect_torch<TypeParam>("conv2d", [](const TorchCase& t, unsigned seed) {
        const index_t b = t.shape[0], h = t.shape[1], w = t.shape[2], c = t.shape[3], o = t.shape[4];
        const auto x = normal<TypeParam>(seed, b, h, w, c);
        const auto k = gaussian<TypeParam>(seed + 10, 0, 1 / std::sqrt(9.0 * static_cast<double>(c)), o, 3, 3, c);
        const auto bias = normal<TypeParam>(seed + 20, o);
        return compare<biased, TypeParam>(Extents<4>{{b, h, w, o}}, *k, *x, *bias).error;
    });
}

TEST(Conv2D, Misfits) {
    const auto x = unwritten<float>(2, 4, 6, 10), tiny = unwritten<float>(2, 1, 1, 10);
    const auto w = unwritten<float>(5, 3, 3, 10), w5 = unwritten<float>(5, 5, 5, 10), w9 = unwritten<float>(5, 3, 3, 9);
    auto y = unwritten<float>(2, 4, 6, 5), other = unwritten<float>(2, 4, 5, 5);
    EXPECT_NE(sentence([&] {
                  prepare<conv3>(*y, *w5, *x);
              }).find("the weight [5, 5, 5, 10] is not 3x3 (PyTorch's [O, C, R, S] is permuted to [O, R, S, C])"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<conv3>(*y, *w9, *x); })
                  .find("the input [2, 4, 6, 10] has 10 channels (the last extent: images are NHWC), the weight "
                        "[5, 3, 3, 9] takes 9 in each of 1 groups"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<grouped>(*y, *w5, *x); }), "");
    EXPECT_NE(sentence([&] {
                  prepare<unpadded>(*y, *w, *tiny);
              }).find("the window is larger than the padded image [2, 1, 1, 10]"),
              std::string::npos);
    const Tensor<const float, 4> vast(x.v.data(), {{1, index_t(1) << 30, 1, 10}}, {{0, 0, 0, 1}});
    EXPECT_NE(sentence([&] { prepare<conv3>(*y, *w, vast); })
                  .find("the input [1, 1073741824, 1, 10] has an extent of 2^30 or more"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<conv3>(*other, *w, *x); })
                  .find("the output takes [2, 4, 5, 5], the kernel computes [2, 4, 6, 5]"),
              std::string::npos);
}

}  // namespace
