// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/reduce.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class Op, int... A>
struct over : Reduce<Op, Axes<A...>> {};
struct mean_square : Reduce<reduction::Mean, Axes<-1>, Mul<Buf<0>, Buf<0>>> {};
struct root_of_sum : Reduce<reduction::Sum, Axes<-1>, Mul<Buf<0>, Buf<0>>, Sqrt<Out>> {};
using Part = Slice<Buf<0>, -1, 1, 24>;
struct root_of_part : Reduce<reduction::Sum, Axes<-1>, Mul<Part, Part>, Sqrt<Out>> {};
// Groups of an axis: [B, P, C] as [B, P, 4, C / 4].
struct group_sum : Reduce<reduction::Sum, Axes<1, 3>, Reshape<Buf<0>, 3, 35, 4, -1>> {};
struct permuted_out : Reduce<reduction::Sum, Axes<1>, Buf<0>, Out, Permuted<Store<0>, 2, 0, 1>> {};
struct shifted : Reduce<reduction::Sum, Axes<1>, Buf<0>, Add<Out, Buf<1>>> {};

template <class T>
struct ReduceTest : ::testing::Test {
    // Every reduction over the given axes of x. Sums of normals cancel, so their errors are beside the terms' norm.
    template <int... A>
    static void every(const Array<T, 3>& x) {
        Extents<3> out = x.extents;
        ((out[A < 0 ? A + 3 : A] = 1), ...);
        expect_oracle<over<reduction::Sum, A...>, T>(out, *x);
        expect_oracle<over<reduction::Mean, A...>, T>(out, *x);
        expect_oracle<over<reduction::Min, A...>, T>(out, *x);
        expect_oracle<over<reduction::Max, A...>, T>(out, *x);
    }
};
TYPED_TEST_SUITE(ReduceTest, StorageTypes, StorageNames);

TYPED_TEST(ReduceTest, AnyAxes) {
    for (const auto& e : {Extents<3>{{1, 3, 1}}, {{3, 5, 7}}, {{2, 77, 33}}, {{3, 130, 64}}})
        for (unsigned seed = 0; seed < 2; ++seed) {
            const auto x = gaussian<TypeParam>(seed, 0.5, 1, e[0], e[1], e[2]);
            this->template every<-1>(x);
            this->template every<0>(x);
            this->template every<1>(x);
            this->template every<0, 1>(x);
            this->template every<0, 2>(x);
            this->template every<-2, -1>(x);
            this->template every<0, 1, 2>(x);
        }
}

TYPED_TEST(ReduceTest, LongRowsAndColumns) {
    const auto row = gaussian<TypeParam>(1, 0.5, 1, 1, 2, 5001), column = gaussian<TypeParam>(2, 0.5, 1, 1, 5001, 2);
    this->template every<-1>(row);
    this->template every<1>(column);
    const auto wide = gaussian<TypeParam>(3, 0.5, 1, 1, 3, 2500);
    this->template every<1>(wide);
    // On a GPU more blocks share these columns than one has rows of threads.
    this->template every<1>(gaussian<TypeParam>(4, 0.5, 1, 1, 13001, 64));
}

// On a GPU lanes of a warp have several of these rows at once: aligned, and not; whole warps of them, and not.
TYPED_TEST(ReduceTest, ManyShortRows) {
    const auto x = gaussian<TypeParam>(1, 0.5, 1, 35003, 32);
    const Extents<2> out{{35003, 1}};
    expect_oracle<over<reduction::Sum, -1>, TypeParam>(out, *x);
    expect_oracle<over<reduction::Max, -1>, TypeParam>(out, *x);
    expect_oracle<root_of_part, TypeParam>(out, *x);
    expect_oracle<over<reduction::Min, -1>, TypeParam>(Extents<2>{{70001, 1}},
                                                       *gaussian<TypeParam>(2, 0.5, 1, 70001, 24));
}

TYPED_TEST(ReduceTest, Product) {
    const auto x = gaussian<TypeParam>(1, 1, 0.1, 3, 40, 7);
    expect_oracle<over<reduction::Product, 1>, TypeParam>(Extents<3>{{3, 1, 7}}, *x);
    expect_oracle<over<reduction::Product, 1, 2>, TypeParam>(Extents<3>{{3, 1, 1}}, *x);
}

TYPED_TEST(ReduceTest, PrologueEpilogueSink) {
    const auto x = normal<TypeParam>(1, 3, 35, 20);
    const auto shift = normal<TypeParam>(2, 20);
    expect_oracle<mean_square, TypeParam>(Extents<3>{{3, 35, 1}}, *x);
    expect_oracle<root_of_sum, TypeParam>(Extents<3>{{3, 35, 1}}, *x);
    expect_oracle<group_sum, TypeParam>(Extents<4>{{3, 1, 4, 1}}, *x);
    expect_oracle<shifted, TypeParam>(Extents<3>{{3, 1, 20}}, *x, *shift);
    expect_oracle<permuted_out, TypeParam>(Extents<3>{{20, 3, 1}}, *x);
}

TEST(Reduce, GroupsAreThoseOfTheAxis) {
    const auto x = normal<float>(1, 3, 35, 20);
    const auto y = std::get<0>(run<group_sum, float>(executor(), as_outputs(Extents<4>{{3, 1, 4, 1}}), *x));
    for (index_t b = 0; b < 3; ++b)
        for (index_t g = 0; g < 4; ++g) {
            double sum = 0;
            for (index_t p = 0; p < 35; ++p)
                for (index_t c = 0; c < 5; ++c) sum += x.at({{b, p, g * 5 + c}});
            EXPECT_NEAR(y.at({{b, 0, g, 0}}), sum, 1e-5);
        }
}

TEST(Reduce, NaNPassesThrough) {
    auto x = normal<float>(1, 3, 40, 33);
    x.v[(1 * 40 + 7) * 33 + 32] = std::numeric_limits<float>::quiet_NaN();
    x.v[(2 * 40 + 39) * 33 + 3] = std::numeric_limits<float>::quiet_NaN();
    const auto nan_rows = [&]<class K>(K, const Extents<3>& out, auto&& expected) {
        const auto y = std::get<0>(run<K, float>(executor(), as_outputs(out), *x));
        for (index_t i = 0; i < count(out); ++i) {
            const auto c = unravel(i, out);
            EXPECT_EQ(std::isnan(y.at(c)), expected(c)) << name<K>() << " at " << text(c);
        }
    };
    const auto in_row = [](const Extents<3>& c) { return (c[0] == 1 && c[1] == 7) || (c[0] == 2 && c[1] == 39); };
    const auto in_column = [](const Extents<3>& c) { return (c[0] == 1 && c[2] == 32) || (c[0] == 2 && c[2] == 3); };
    nan_rows(over<reduction::Max, -1>(), {{3, 40, 1}}, in_row);
    nan_rows(over<reduction::Min, -1>(), {{3, 40, 1}}, in_row);
    nan_rows(over<reduction::Sum, -1>(), {{3, 40, 1}}, in_row);
    nan_rows(over<reduction::Max, 1>(), {{3, 1, 33}}, in_column);
    nan_rows(over<reduction::Min, 1>(), {{3, 1, 33}}, in_column);
    nan_rows(over<reduction::Mean, 1>(), {{3, 1, 33}}, in_column);
}

// As PyTorch: the sum of nothing is 0, its mean NaN.
TEST(Reduce, NoElements) {
    const auto x = unwritten<float>(3, 0, 4);
    const auto sum =
        std::get<0>(run<over<reduction::Sum, 1>, float>(executor(), as_outputs(Extents<3>{{3, 1, 4}}), *x));
    for (const float v : sum.v) EXPECT_EQ(v, 0);
    const auto mean =
        std::get<0>(run<over<reduction::Mean, 1>, float>(executor(), as_outputs(Extents<3>{{3, 1, 4}}), *x));
    for (const float v : mean.v) EXPECT_TRUE(std::isnan(v));
}

TEST(Reduce, Misfits) {
    const auto x = unwritten<float>(2, 3, 10);
    auto y = unwritten<float>(2, 3, 10);
    EXPECT_NE(sentence([&] { prepare<over<reduction::Sum, -1>>(*y, *x); })
                  .find("the output takes [2, 3, 10], the kernel computes [2, 3, 1]"),
              std::string::npos);
}

}  // namespace
