// SPDX-License-Identifier: Apache-2.0
// Products whose rows are multiples of 16 bytes, which an engine of copied tiles takes: ragged in tiles, not in chunks.
#include "check.hpp"

#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

using Bias = Add<Out, Buf<1>>;
template <int I>
using Heads = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;

struct biased : Linear<Buf<0>, Bias> {};
struct residual_silu : Linear<Buf<0>, Silu<Add<Bias, Buf<2>>>> {};
struct two_sums : Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>> {};
struct rows_and_columns : Linear<Buf<0>, Mul<Add<Out, Mul<Coord<-1>, Param<0>>>, Buf<1>>> {};  // Buf<1>: a number a row
struct slice_of_input : Linear<Slice<Buf<0>, -1, 8, 72>, Bias> {};
struct joined : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
struct qkv : Linear<Buf<0>, Bias, Partition<-1, Heads<0>, Heads<1>, Heads<2>>> {};
struct permuted : Linear<Buf<0>, Out, Permuted<Store<0>, 0, 2, 1>> {};
struct statistics : Linear<Buf<0>, Out, WithStats<Store<0>, 1>> {};
struct silu_input : Linear<Silu<Buf<0>>, Bias> {};
struct scaled_input : Linear<Mul<Buf<0>, Buf<1>>> {};
struct gated_input : Linear<Mul<Slice<Buf<0>, -1, 0, 40>, Gelu<Slice<Buf<0>, -1, 48, 40>>>, Bias> {};
// Rows of two axes that lie in the other order: even from one row to the next and to the last one, not in between.
using Crossed = Reshape<Permute<Buf<0>, 2, 1, 0, 3>, 20, 128>;
struct crossed : Linear<Crossed> {};
struct crossed_silu : Linear<Silu<Crossed>> {};

template <class Win, class In = Buf<0>, class Epilogue = Bias>
struct conv : Conv2D<Win, In, Epilogue> {};
using Row = Reshape<Gather<Buf<2>, Buf<3>, 0>, 1, 1, 1, -1>;
struct time_residual : Conv2D<Filter<3>, Buf<0>, Add<Add<Bias, Row>, Buf<4>>> {};
struct joined_pixels : Conv2D<Filter<3>, Concat<-1, Buf<0>, Buf<1>>, Out> {};
struct normed : Conv2D<Filter<3>, Silu<Add<Mul<Buf<0>, Buf<2>>, Buf<3>>>, Bias> {};     // [B, 1, 1, C] scale and shift
struct upsampled : Conv2D<Filter<3>, Upsample2x<Buf<0>>, Bias> {};
struct upsampled_silu : Conv2D<Filter<3>, Upsample2x<Silu<Buf<0>>>, Bias> {};
struct cosine : Conv2D<Filter<3>, Cos<Buf<0>>, Bias> {};    // cos 0 = 1: padding the input would show
struct scaled_pixels : Conv2D<Filter<3>, Mul<Buf<0>, Buf<2>>, Bias> {};                 // by a number a pixel
struct partitioned : Conv2D<Filter<3>, Buf<0>, Bias, Partition<-1, Store<0>, Store<1>>> {};

template <class T>
struct ProductTest : ::testing::Test {
    template <class... I>
    static auto weight(unsigned seed, I... e) {
        const index_t all[] = {e...};
        index_t k = 1;
        for (std::size_t i = 1; i < sizeof...(I); ++i) k *= all[i];
        return gaussian<T>(seed, 0, 1 / std::sqrt(static_cast<double>(k)), e...);
    }
    template <class K>
    static void expect_conv(index_t b, index_t h, index_t w, index_t c, index_t o) {
        using Win = typename K::window;
        const auto x = normal<T>(1, b, h, w, c);
        const auto bias = normal<T>(2, o);
        const auto k = weight(3, o, Win::rows, Win::cols, c / Win::groups);
        expect_oracle<K, T>(Extents<4>{{b, Win::extent(h, Win::rows), Win::extent(w, Win::cols), o}}, *k, *x, *bias);
    }
};
TYPED_TEST_SUITE(ProductTest, StorageTypes, StorageNames);

TYPED_TEST(ProductTest, Linears) {
    for (const auto& [m, n, k] :
         {std::array<index_t, 3>{9, 8, 8}, {130, 168, 72}, {128, 80, 640}, {40, 12, 128}, {260, 100, 200}}) {
        const auto x = normal<TypeParam>(1, m, k);
        const auto b = normal<TypeParam>(2, n);
        const auto w = this->weight(3, n, k);
        expect_oracle<biased, TypeParam>(Extents<2>{{m, n}}, *w, *x, *b);
    }
    const auto x = normal<TypeParam>(1, 2, 3, 10, 64);
    const auto bias = normal<TypeParam>(2, 48);
    const auto w = this->weight(3, 48, 64);
    expect_oracle<biased, TypeParam>(Extents<4>{{2, 3, 10, 48}}, *w, *x, *bias);
    const auto xs = normal<TypeParam>(4, 3, 20, 64);
    const auto residual = normal<TypeParam>(5, 3, 20, 48);
    const auto ws = this->weight(6, 48 * 3, 64);
    const Tensor<const TypeParam, 3> batched((*ws).data, {{3, 48, 64}});
    expect_oracle<biased, TypeParam>(Extents<3>{{3, 20, 48}}, batched, *xs, *bias);
    expect_oracle<residual_silu, TypeParam>(Extents<3>{{3, 20, 48}}, *w, *xs, *bias, *residual);
    const auto wide = normal<TypeParam>(8, 3, 20, 160);
    const auto wide_bias = normal<TypeParam>(9, 160);
    const auto w5 = this->weight(10, 160, 64);
    expect_oracle<residual_silu, TypeParam>(Extents<3>{{3, 20, 160}}, *w5, *xs, *wide_bias, *wide);
    const auto half_bias = normal<TypeParam>(11, 80);
    expect_oracle_computing<two_sums, TypeParam>(Extents<3>{{3, 20, 80}}, *w5, *xs, *half_bias, *half_bias);
    const auto each_row = normal<TypeParam>(7, 3, 20, 1);
    expect_oracle<rows_and_columns, TypeParam>(Extents<3>{{3, 20, 48}}, *w, *xs, *each_row, 0.01);
}

// Sums that blocks share, of which constants come on before the kernel before has ended: here one that reads and writes
// other memory.
TYPED_TEST(ProductTest, PackedWeightsGiveTheSameBits) {
    const auto expect = [&]<class K, int R>(const Extents<R>& extents, const auto& w, const auto&... others) {
        const auto out = as_outputs(extents);
        const PackedWeight packed(w);
        EXPECT_TRUE(same_bits(run<K, TypeParam>(executor(), out, w, others...),
                              run<K, TypeParam>(executor(), out, *packed, others...)));
    };
    const auto x = normal<TypeParam>(1, 150, 1280);
    const auto b = normal<TypeParam>(2, 96);
    auto w = this->weight(3, 96, 1280);
    auto filter = this->weight(4, 96, 3, 3, 128);
    expect.template operator()<biased>(Extents<2>{{150, 96}}, *w, *x, *b);
    const auto image = normal<TypeParam>(5, 2, 8, 8, 128), scale = normal<TypeParam>(6, 2, 1, 1, 128),
               shift = normal<TypeParam>(7, 2, 1, 1, 128);
    const Extents<4> pixels{{2, 8, 8, 96}};
    expect.template operator()<conv<Filter<3>>>(pixels, *filter, *image, *b);
    expect.template operator()<normed>(pixels, *filter, *image, *b, *scale, *shift);
}

TYPED_TEST(ProductTest, ViewsOfInputs) {
    const auto wide = normal<TypeParam>(1, 2, 21, 88);
    const auto left = normal<TypeParam>(2, 2, 21, 64);
    const auto right = normal<TypeParam>(3, 2, 21, 40);
    const auto w = this->weight(4, 48, 72);
    const auto w2 = this->weight(5, 48, 104);
    const auto w3 = this->weight(6, 48, 112);
    const auto b = normal<TypeParam>(7, 48);
    expect_oracle<slice_of_input, TypeParam>(Extents<3>{{2, 21, 48}}, *w, *wide, *b);
    expect_oracle<joined, TypeParam>(Extents<3>{{2, 21, 48}}, *w2, *left, *right);
    const auto uneven = normal<TypeParam>(8, 2, 21, 72);     // not a multiple of 64
    expect_oracle<joined, TypeParam>(Extents<3>{{2, 21, 48}}, *w3, *uneven, *right);
    const auto silu = normal<TypeParam>(9, 2, 21, 72);
    const auto vector = normal<TypeParam>(10, 72);
    const auto numbers = normal<TypeParam>(11, 2, 21, 1);
    expect_oracle_computing<silu_input, TypeParam>(Extents<3>{{2, 21, 48}}, *w, *silu, *b);
    expect_oracle_computing<scaled_input, TypeParam>(Extents<3>{{2, 21, 48}}, *w, *silu, *vector);
    expect_oracle_computing<scaled_input, TypeParam>(Extents<3>{{2, 21, 48}}, *w, *silu, *numbers);
    const auto factors = normal<TypeParam>(14, 2, 21, 72);
    expect_oracle_computing<scaled_input, TypeParam>(Extents<3>{{2, 21, 48}}, *w, *silu, *factors);
    const auto w5 = this->weight(15, 48, 40);
    expect_oracle_computing<gated_input, TypeParam>(Extents<3>{{2, 21, 48}}, *w5, *wide, *b);
    const auto x = normal<TypeParam>(12, 2, 10, 2, 64);
    const auto w4 = this->weight(13, 48, 128);
    expect_oracle<crossed, TypeParam>(Extents<2>{{20, 48}}, *w4, *x);
    expect_oracle_computing<crossed_silu, TypeParam>(Extents<2>{{20, 48}}, *w4, *x);
}

// Rows begin at multiples of 16 bytes, their ends do not: nothing behind the vector is read.
TYPED_TEST(ProductTest, VectorsEndWithTheirRows) {
    for (const index_t k : {3, 5, 12, 33, 65, 70}) {
        const index_t pitch = (k + 7) / 8 * 8;
        auto x = normal<TypeParam>(1, 20, pitch);
        const Tensor<TypeParam, 2> rows(x.v.data(), {{20, k}}, {{pitch, 1}});
        const auto vector = normal<TypeParam>(2, k);
        const auto w = this->weight(3, 24, k);
        expect_oracle_computing<scaled_input, TypeParam>(Extents<2>{{20, 24}}, *w, rows, *vector);
    }
}

TYPED_TEST(ProductTest, Sinks) {
    const auto x = normal<TypeParam>(1, 2, 35, 64);
    const auto w = this->weight(2, 3 * 80, 64);
    const auto w1 = this->weight(3, 48, 64);
    const auto b = normal<TypeParam>(4, 3 * 80);
    const Extents<4> heads{{2, 2, 35, 40}}, small{{2, 20, 35, 4}};
    expect_oracle<qkv, TypeParam>(outputs(heads, heads, heads), *w, *x, *b);
    expect_oracle<qkv, TypeParam>(outputs(small, small, small), *w, *x, *b);     // heads cut chunks
    expect_oracle<permuted, TypeParam>(Extents<3>{{2, 48, 35}}, *w1, *x);
    const auto w4 = this->weight(5, 3 * 160, 64);
    const auto b4 = normal<TypeParam>(6, 3 * 160);
    const Extents<4> four{{2, 4, 35, 40}};
    expect_oracle<qkv, TypeParam>(outputs(four, four, four), *w4, *x, *b4);
    // Of powers of two: other groups of columns, and rows that end in a tile.
    const auto w3 = this->weight(7, 3 * 192, 64);
    const auto b3 = normal<TypeParam>(8, 3 * 192);
    for (const Extents<4>& each : {Extents<4>{{2, 3, 35, 64}}, Extents<4>{{2, 6, 35, 32}}, Extents<4>{{2, 2, 35, 96}}})
        expect_oracle<qkv, TypeParam>(outputs(each, each, each), *w3, *x, *b3);
}

TYPED_TEST(ProductTest, Windows) {
    this->template expect_conv<conv<Filter<3>>>(2, 9, 19, 72, 48);
    this->template expect_conv<conv<Filter<3>>>(3, 8, 8, 128, 88);
    this->template expect_conv<conv<Filter<3>>>(1, 5, 3, 64, 8);
    this->template expect_conv<conv<Filter<3, 3, 1, 0, 2>>>(1, 12, 18, 64, 16);
    this->template expect_conv<conv<Filter<3, 3, 2>>>(2, 7, 10, 72, 40);
    this->template expect_conv<conv<Filter<3, 3, 2, 0, 1>>>(2, 8, 6, 64, 24);
    this->template expect_conv<conv<Filter<1>>>(2, 9, 5, 64, 24);
    this->template expect_conv<conv<Filter<1, 1, 2>>>(2, 9, 5, 64, 24);
    this->template expect_conv<conv<Filter<5>>>(1, 9, 6, 8, 16);
    this->template expect_conv<conv<Filter<3, 3, 1, 2, 2, 2>>>(1, 9, 6, 8, 16);
    this->template expect_conv<conv<Filter<3, 3, 1, 1, 1, 1, 2>>>(2, 5, 9, 128, 32);
    this->template expect_conv<conv<Filter<3, 3, 2, 1, 1, 1, 2>>>(2, 5, 9, 128, 32);
    this->template expect_conv<conv<Filter<3, 3, 1, 1, 1, 1, 2>>>(2, 5, 9, 128, 64);    // 32 columns each
}

TYPED_TEST(ProductTest, PixelsWithEpiloguesAndPrologues) {
    const auto x = normal<TypeParam>(1, 2, 6, 10, 64);
    const auto y = normal<TypeParam>(2, 2, 6, 10, 40);
    const auto residual = normal<TypeParam>(3, 2, 6, 10, 24);
    const auto w = this->weight(4, 24, 3, 3, 64);
    const auto w2 = this->weight(5, 24, 3, 3, 104);
    const auto bias = normal<TypeParam>(6, 24);
    const auto table = normal<TypeParam>(7, 4, 24);
    const std::int32_t step = 2;
    const Tensor<const std::int32_t, 1> row(&step, {{1}});
    const Extents<4> out{{2, 6, 10, 24}};
    expect_oracle<time_residual, TypeParam>(out, *w, *x, *bias, *table, row, *residual);
    expect_oracle<joined_pixels, TypeParam>(out, *w2, *x, *y);
    const auto scale = normal<TypeParam>(8, 2, 1, 1, 64);
    const auto shift = normal<TypeParam>(9, 2, 1, 1, 64);
    const auto each = normal<TypeParam>(10, 2, 6, 10, 1);
    expect_oracle_computing<normed, TypeParam>(out, *w, *x, *bias, *scale, *shift);
    expect_oracle_computing<scaled_pixels, TypeParam>(out, *w, *x, *bias, *each);
    expect_oracle_computing<cosine, TypeParam>(out, *w, *x, *bias);
    expect_oracle<upsampled, TypeParam>(Extents<4>{{2, 12, 20, 24}}, *w, *x, *bias);
    expect_oracle_computing<upsampled_silu, TypeParam>(Extents<4>{{2, 12, 20, 24}}, *w, *x, *bias);
    expect_oracle<partitioned, TypeParam>(outputs(Extents<4>{{2, 6, 10, 8}}, Extents<4>{{2, 6, 10, 16}}), *w, *x,
                                          *bias);
}

}  // namespace
