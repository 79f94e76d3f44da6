// SPDX-License-Identifier: Apache-2.0
/// Attention by sm_90a's engine with a tile given by hand.
#pragma once

#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/launch.hpp>

namespace inlay_test {

using namespace inlay;

/// Runs attention with a tile.
template <class Tile>
struct WithTile {
    static constexpr int schedule = Tile::keys;
    on_gpu::Launcher& l;
    int parts;

    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        const WgmmaAttentionOperands o = wgmma_attention_operands<Form::d, Form::dv>(s, q, k, v);
        ASSERT_EQ(o.refused, nullptr);
        on_gpu::launch_wgmma_attention<Tile, Form>(l, s, o, scores, epilogue, sink, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

template <int D, int Groups, int Keys, bool Turns = false, class T = fp16>
using AttentionTile = on_gpu::WgmmaAttentionTile<T, D, Groups, Keys, 2, 1, Turns>;

template <class T>
using FoldedTile = on_gpu::WgmmaAttentionTile<T, 40, 2, 64, 2, 1, false, 1, 1, false, true>;

template <int D, class Mask, class Score = score::Scaled>
struct heads : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask, Score> {};

/// Of random queries, keys and values; `deviation`: of queries and keys.
template <class Tile, class Mask = mask::Full>
void expect_attention(index_t b, index_t h, index_t kv_heads, index_t sq, index_t skv, double deviation = 1,
                      int parts = 1) {
    using T = typename Tile::T;
    auto q = gaussian<T>(1, 0, deviation, b, h, sq, Tile::d);
    auto k = gaussian<T>(2, 0, deviation, b, kv_heads, skv, Tile::d), v = normal<T>(3, b, kv_heads, skv, Tile::d);
    using Score = std::conditional_t<Tile::folded, score::Base2, score::Scaled>;
    expect_schedule<heads<Tile::d, Mask, Score>, WithTile<Tile>, T>(parts, Extents<4>{{b, h, sq, Tile::d}}, q, k, v);
}

template <class T, int D, int I, bool Binary = false, int DV = D>
using TableTile = on_gpu::detail::WgmmaAttentionTableTile<T, D, I, Binary, DV>;

}  // namespace inlay_test
