// SPDX-License-Identifier: Apache-2.0
/// Every kind of schedule of attention on AMD's GPUs: the choice by extents never takes most of them at sizes that an
/// emulator can take.
#include <gpu/emulated/attention_algebra.hpp>

#include <inlay/frame/attention.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T>
using AtomHere = std::conditional_t<emulator::warp_lanes == 64, on_gpu::MfmaHeadAtom<T>, on_gpu::WmmaAtom<T>>;

/// Runs attention with schedule `I`, keys among `parts` blocks.
template <int I>
struct With {
    static constexpr int schedule = I;
    on_gpu::Launcher& l;
    int parts;

    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        using Atom = AtomHere<attention_type<Q, K, V>>;
        using Tile = decltype(on_gpu::flash::tile_of<Atom, Form::d, I, Form::dv>());
        on_gpu::attention_with<Tile, Form>(l, s, q, k, v, scores, epilogue, sink, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

template <int D, class Mask = mask::Full>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask> {};

template <class T, int D, int I>
void expect_attention(index_t queries = 40, index_t keys = 150) {
    auto q = normal<T>(1, 1, 1, queries, D), k = normal<T>(2, 1, 1, keys, D), v = normal<T>(3, 1, 1, keys, D);
    for (const int splits : {1, 2})
        expect_schedule<attend<D>, With<I>, T>(splits, Extents<4>{{1, 1, queries, D}}, q, k, v);
}

// Steps of the atom and a tail, whole steps alone; rows of V that end inside a tile of columns, and that do not.
TEST(AmdAttention, OfShortHeads) {
    expect_attention<fp16, 40, 0>(140);
    expect_attention<fp16, 40, 1>();
    expect_attention<fp16, 40, 2>();
    expect_attention<bf16, 24, 1>();
    expect_attention<fp16, 64, 0>();
    expect_attention<fp16, 80, 2>();
}
TEST(AmdAttention, OfHeadsThatTakeMostOfSharedMemory) {
    expect_attention<fp16, 160, 0>();
    expect_attention<bf16, 160, 1>();
    expect_attention<fp16, 128, 2>();
}
TEST(AmdAttention, OfHeadsWhoseColumnsAreShared) {
    expect_attention<fp16, 200, 0>();
    expect_attention<bf16, 264, 0>();
    expect_attention<fp16, 512, 0>(20, 70);
}
TEST(AmdAttention, OfFp32) {
    expect_attention<float, 40, 2>();
    expect_attention<float, 72, 0>();
    expect_attention<float, 104, 0>();
    expect_attention<float, 328, 0>(20, 40);
    expect_attention<float, 512, 0>(20, 40);    // half a tile of queries
}

TEST(AmdAttention, OfAnyAlgebra) {
    any_attention::expect<With<2>, fp16, 40>();
    any_attention::expect<With<0>, bf16, 200>();
    any_attention::expect<With<1>, fp16, 192, 128>();
    any_attention::expect<With<0>, fp16, 576, 512>(20, 40);
}

/// Infinities of the next key, which lies behind the end of a row and of the keys that a query sees, are in no sum.
template <class T, int D>
void expect_rows_apart() {
    constexpr index_t n = 20, first = 5;
    auto q = normal<T>(1, 1, 1, n, D), k = normal<T>(2, 1, 1, n, D), v = normal<T>(3, 1, 1, n, D);
    for (int i = 0; i < D; ++i)
        k.v[static_cast<std::size_t>(first * D + i)] = to_storage<T>(std::numeric_limits<double>::infinity());
    Array<T, 4> y({{1, 1, n, D}}, 0);
    Array<double, 4> exact(y.extents, 0);
    inlay::Oracle oracle;
    prepare<attend<D, mask::Causal>>(*exact, *std::as_const(q), *std::as_const(k), *std::as_const(v)).run(oracle);
    Placed to(y), placed_q(q), placed_k(k), placed_v(v);
    With<0> target{executor().launcher(), 1};
    prepare<attend<D, mask::Causal>>(*to, *placed_q, *placed_k, *placed_v).run(target);
    to.fetch();
    for (std::size_t i = 0; i < static_cast<std::size_t>(first * D); ++i)
        EXPECT_NEAR(from_storage<double>(y.v[i]), exact.v[i], 0.02) << i;
}
TEST(AmdAttention, RowsAreReadToTheirEnd) {
    expect_rows_apart<fp16, 40>();
    expect_rows_apart<bf16, 8>();
    expect_rows_apart<float, 40>();
    expect_rows_apart<float, 512>();
}

}  // namespace
