// SPDX-License-Identifier: Apache-2.0
/// Every schedule of the portable engine's tables, at sizes that an emulator can take: the choice by extents never
/// takes most of them there.
#include "attention_algebra.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs matrix products and attention with schedule `I`, sums in `parts`.
template <int I>
struct With {
    static constexpr int schedule = I;
    on_gpu::Launcher& l;
    int parts;

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        using T = std::remove_const_t<typename W::value_type>;
        auto a = on_gpu::matmul_args(s, w, in, rows, epilogue, sink, place);
        using namespace on_gpu::detail;
        using Tables = MmaTables<T>;
        if constexpr (std::is_same_v<T, float>)
            launch_tiles<TableTile<Tables, mma_matrix_fp32, I>>(l, a, parts, mma_matrix_fp32[I].stages);
        else launch_tiles<TableTile<Tables, mma_matrix, I>>(l, a, parts, mma_matrix[I].stages);
    }
    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        using T = attention_type<Q, K, V>;
        using Tile = decltype(on_gpu::flash::tile_of<T, Form::d, I, Form::dv>());
        on_gpu::attention_with<Tile, Form>(l, s, q, k, v, scores, epilogue, sink, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

struct plain : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct pointwise : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct joined_images : Conv2D<Filter<3>, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};
template <int D>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>> {};

template <class T, int I>
void expect_products() {
    auto x = normal<T>(1, 140, 200), w = gaussian<T>(2, 0, 0.07, 100, 200);
    auto b = normal<T>(3, 100);
    for (const int parts : {1, 3}) {
        expect_schedule<plain, With<I>, T>(parts, Extents<2>{{140, 100}}, w, x, b);
        expect_schedule<pointwise, With<I>, T>(parts, Extents<2>{{140, 100}}, w, x, b);
    }
    auto left = normal<T>(4, 2, 7, 9, 40), right = normal<T>(5, 2, 7, 9, 24), f = gaussian<T>(6, 0, 0.05, 48, 3, 3, 64);
    expect_schedule<joined_images, With<I>, T>(4, Extents<4>{{2, 7, 9, 48}}, f, left, right);
}
template <class T, int D, int I>
void expect_attention() {
    auto q = normal<T>(1, 1, 1, 40, D), k = normal<T>(2, 1, 1, 210, D), v = normal<T>(3, 1, 1, 210, D);
    for (const int splits : {1, 2}) expect_schedule<attend<D>, With<I>, T>(splits, Extents<4>{{1, 1, 40, D}}, q, k, v);
}

TEST(Schedules, OfProducts) {
    static_assert(std::size(mma_matrix) == 3 && std::size(mma_matrix_fp32) == 2);
    expect_products<fp16, 0>();
    expect_products<fp16, 1>();
    expect_products<fp16, 2>();
    expect_products<float, 0>();
    expect_products<float, 1>();
}
/// Blocks with several columns of tiles, sums of more phases than a block has stages, and of fewer; the last is of rows
/// that are not whole chunks, which a tile copies and which are evaluated here.
template <class T>
void expect_streamed() {
    for (const auto& [m, n, k] :
         {std::array<index_t, 3>{3, 400, 7008}, {8, 1000, 320}, {5, 200, 3000}, {2, 72, 1101}}) {
        const auto x = normal<T>(1, m, k), w = gaussian<T>(2, 0, 1 / std::sqrt(static_cast<double>(k)), n, k);
        const auto b = normal<T>(3, n);
        expect_oracle<plain, T>(Extents<2>{{m, n}}, *w, *x, *b);
        expect_oracle_computing<pointwise, T>(Extents<2>{{m, n}}, *w, *x, *b);
    }
}
TEST(Schedules, OfStreamedWeights) {
    expect_streamed<fp16>();
    expect_streamed<float>();
}
TEST(Schedules, OfAttention) {
    expect_attention<fp16, 40, 0>();
    expect_attention<fp16, 40, 1>();
    expect_attention<fp16, 40, 2>();
    expect_attention<fp16, 160, 1>();
    expect_attention<fp16, 512, 0>();
    expect_attention<fp16, 512, 1>();
    expect_attention<float, 64, 0>();
    expect_attention<float, 64, 1>();
}
TEST(Schedules, OfAttentionOfAnyAlgebra) {
    any_attention::expect<With<2>, fp16, 64>();
    any_attention::expect<With<1>, bf16, 512>(20, 70);
    any_attention::expect<With<1>, fp16, 192, 128>();
    any_attention::expect<With<1>, fp16, 576, 512>(20, 70);
}

}  // namespace
