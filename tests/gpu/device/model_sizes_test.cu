// SPDX-License-Identifier: Apache-2.0
/// Attention, norms, rows and reductions of the sizes a network has, where they take several blocks, steps and passes.
#include <frame/check.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

template <int D, class Mask = mask::Full>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask> {};
struct group : GroupNorm<32, Buf<0>, Silu<Out>> {};
struct group_skip : GroupNorm<32, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};
struct layer : LayerNorm<> {};
struct rows : Softmax<> {};
struct sums : Reduce<reduction::Sum, Axes<-1>> {};
struct column_means : Reduce<reduction::Mean, Axes<0>> {};
struct silu : Elementwise<Silu<Buf<0>>> {};
struct statistics : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};

template <class T>
struct ModelSizesTest : ::testing::Test {
    template <class K>
    static void attention(index_t b, index_t h, index_t sq, index_t skv) {
        const index_t d = K::d;
        const auto q = normal<T>(1, b, h, sq, d), k = normal<T>(2, b, h, skv, d), v = normal<T>(3, b, h, skv, d);
        expect_oracle_computing<K, T>(Extents<4>{{b, h, sq, d}}, *q, *k, *v);
    }
};
TYPED_TEST_SUITE(ModelSizesTest, StorageTypes, StorageNames);

TYPED_TEST(ModelSizesTest, Attention) {
    this->template attention<attend<40>>(1, 2, 260, 4101);
    this->template attention<attend<40>>(2, 2, 515, 77);
    this->template attention<attend<64, mask::Causal>>(2, 3, 300, 300);
    this->template attention<attend<80>>(1, 2, 257, 1024);
    this->template attention<attend<160>>(1, 2, 130, 256);
    this->template attention<attend<512>>(1, 1, 100, 520);
}

TYPED_TEST(ModelSizesTest, Norms) {
    const auto x = normal<TypeParam>(1, 2, 32, 34, 320), y = normal<TypeParam>(2, 1, 9, 11, 1920);
    const auto g = normal<TypeParam>(3, 320), b = normal<TypeParam>(4, 320), wide = normal<TypeParam>(5, 1920);
    expect_oracle<group, TypeParam>(x.extents, *g, *b, *x);
    expect_oracle<group, TypeParam>(y.extents, *wide, *wide, *y);
    const auto left = normal<TypeParam>(6, 2, 16, 14, 640), right = normal<TypeParam>(7, 2, 16, 14, 320);
    const auto both = normal<TypeParam>(8, 960);
    expect_oracle<group_skip, TypeParam>(Extents<4>{{2, 16, 14, 960}}, *both, *both, *left, *right);
    const auto image = normal<TypeParam>(9, 1, 130, 126, 128);
    const auto narrow = normal<TypeParam>(10, 128);
    expect_oracle<group, TypeParam>(image.extents, *narrow, *narrow, *image);
    const auto tokens = normal<TypeParam>(11, 2, 1024, 320);
    expect_oracle<layer, TypeParam>(tokens.extents, *g, *b, *tokens);
}

TYPED_TEST(ModelSizesTest, RowsAndReductions) {
    for (const auto& [m, n] : {std::pair<index_t, index_t>{1000, 77}, {130, 4096}, {3, 70001}, {5000, 8}}) {
        const auto x = gaussian<TypeParam>(1, 0.5, 1, m, n);
        expect_oracle<rows, TypeParam>(x.extents, *x);
        expect_oracle<sums, TypeParam>(Extents<2>{{m, 1}}, *x);
        expect_oracle<column_means, TypeParam>(Extents<2>{{1, n}}, *x);
        expect_oracle<silu, TypeParam>(x.extents, *x);
    }
}

TYPED_TEST(ModelSizesTest, Statistics) {
    const auto x = gaussian<TypeParam>(1, 3, 1, 2, 5000, 72);
    auto y = unwritten<TypeParam>(2, 5000, 72);
    auto s = unwritten<float>(2, 72, 2);
    execute<statistics>(executor(), *y, *s, *x);
    for (index_t b = 0; b < 2; ++b)
        for (index_t c = 0; c < 72; ++c) {
            double mean = 0, m2 = 0;
            for (index_t i = 0; i < 5000; ++i) mean += x.at({{b, i, c}}) / 5000;
            for (index_t i = 0; i < 5000; ++i) m2 += std::pow(x.at({{b, i, c}}) - mean, 2);
            EXPECT_NEAR(s.at({{b, c, 0}}), mean, 3e-6);
            EXPECT_NEAR(s.at({{b, c, 1}}), m2, 1e-5 * m2);
        }
}

}  // namespace
