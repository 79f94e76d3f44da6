// SPDX-License-Identifier: Apache-2.0
/// Attention by sm_90a's engine with a tile given by hand.
#pragma once

#include <emulator/expect_schedule.hpp>

#include <inlay/kernel/attention.hpp>
#include <inlay/tile/cuda/hopper_attention.hpp>

namespace inlay_test {

using namespace inlay;

/// Runs attention with a tile.
template <class Tile>
struct WithTile {
    static constexpr int schedule = Tile::keys;
    cuda::Launcher& l;
    int parts;

    template <class Mask, int D, class Q, class K, class V, class Epilogue, class Sink>
    void attention(const AttentionShape& s, double scale, const Q& q, const K& k, const V& v, const Epilogue& epilogue,
                   const Sink& sink) {
        const HopperAttentionOperands o = hopper_attention_operands<D>(s, q, k, v);
        ASSERT_EQ(o.refused, nullptr);
        cuda::launch_hopper_attention<Tile, Mask>(l, s, scale, o, epilogue, sink, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

template <int D, int Groups, int Keys, bool Turns = false, class T = half>
using AttentionTile = cuda::HopperAttentionTile<T, D, Groups, Keys, 2, 1, Turns>;

}  // namespace inlay_test
