// SPDX-License-Identifier: Apache-2.0
/// Attention on the portable engine, flash form: softmax(scale · Q Kᵀ + mask) V in one kernel, scores in registers.
///
/// Holes: Q, K and V as expressions, mask, epilogue, sink. Moves Q and the output once, K and V once per tile of
/// queries; 4 · batch · heads · queries · keys · D FLOPs.
///
/// Products are in the storage type of Q, K and V (fp32 by 3xTF32, also where they differ), so what a prologue computes
/// and the probabilities are rounded to it; softmax and sums are fp32, in an order that depends on shape and device
/// alone. A query that sees no key gives 0. `scale` is positive.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/tile/cuda/attention_kernel.hpp>
#include <inlay/tile/cuda/attention_wide.hpp>
#include <inlay/tile/cuda/launch.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::cuda {

namespace flash {

/// The 16-bit type in which everything that expressions read is stored, else float.
template <class T, class B, class... N>
constexpr bool reads_only(types<N...>) {
    const auto fits = []<class Node>(Node) {
        if constexpr (inlay::detail::is_buf<Node>) {
            using Tensors = typename B::env_type::tensors;
            using E = std::remove_const_t<typename at<Node::slot, Tensors>::value_type>;
            return std::is_same_v<E, T> || std::is_same_v<E, std::int32_t>;
        } else {
            return true;
        }
    };
    return (fits(N{}) && ...);
}
template <class... B>
struct element_of {
    template <class T>
    static constexpr bool all = (reads_only<T, B>(nodes_of<typename B::expression>{}) && ...);
    using type = std::conditional_t<all<half>, half, std::conditional_t<all<bf16>, bf16, float>>;
};

/// Tiles by head: for many queries, for enough to fill the device with 32 at a time, and for few. Found by the sweep in
/// bench/ on an H100.
template <class T, int D>
struct Tiles {
    static constexpr int bytes = AttentionRow<T, D>::bytes;
    template <int MTiles, int RowWarps, int KeyWarps, int Keys, int Stages = 2, int MinBlocks = 1>
    using Tile = AttentionTile<T, D, MTiles, RowWarps, KeyWarps, Keys, Stages, MinBlocks>;
    using type =
        std::conditional_t<(bytes <= 80), types<Tile<2, 4, 1, 80, 2, 2>, Tile<1, 2, 2, 64>, Tile<1, 1, 4, 128>>,
        std::conditional_t<(bytes <= 256), types<Tile<2, 4, 1, 64, 2, 2>, Tile<1, 2, 2, 64>, Tile<1, 1, 4, 64>>,
        std::conditional_t<(bytes <= 320), types<Tile<1, 4, 1, 64, 2, 2>, Tile<1, 2, 2, 64>, Tile<1, 1, 4, 64>>,
                           types<Tile<1, 4, 1, 32>, Tile<1, 2, 1, 32>, Tile<1, 1, 2, 32>>>>>;
};
template <int D>
    requires(D <= 256)
struct Tiles<float, D> {
    template <int RowWarps, int KeyWarps, int Keys>
    using Tile = AttentionTile<float, D, 1, RowWarps, KeyWarps, Keys, 2>;
    using type = std::conditional_t<(D <= 96), types<Tile<4, 1, 32>, Tile<2, 2, 32>, Tile<1, 2, 32>>,
                                    types<Tile<4, 1, 16>, Tile<2, 1, 16>, Tile<1, 1, 16>>>;
};
template <class T, int D>
    requires(D > 256)
struct Tiles<T, D> {
    using type = std::conditional_t<sizeof(T) == 2,
                                    types<AttentionWideTile<T, D, 2, 2, 4, 64>, AttentionWideTile<T, D, 1, 1, 4, 32>>,
                                    types<AttentionWideTile<T, D, 1, 2, 4, 32>, AttentionWideTile<T, D, 1, 1, 4, 16>>>;
};

template <class Tile>
inline constexpr bool is_wide = requires { Tile::column_warps; };

template <class Tile, class Mask, class Args>
auto kernel_of() -> void (*)(Args) {
    if constexpr (is_wide<Tile>) return attention_wide_kernel<Tile, Mask, Args>;
    else return attention_kernel<Tile, Mask, Args>;
}

inline index_t ceiling(index_t a, index_t b) { return (a + b - 1) / b; }

/// Blocks of threads of a tile, before keys are split.
template <class Tile>
index_t blocks_of(const AttentionShape& s) {
    return s.batch * (s.heads / s.group) * ceiling(s.group * s.queries, Tile::rows);
}

}  // namespace flash

/// With a tile of the caller's. `splits`: blocks of threads that share the keys of a tile of queries; 0: as many as the
/// device has room for.
template <class Tile, class Mask, class Q, class K, class V, class Epilogue, class Sink>
void attention_with(Launcher& l, const AttentionShape& s, double scale, const Q& q, const K& k, const V& v,
                    const Epilogue& epilogue, const Sink& sink, index_t splits = 0) {
    using T = typename Tile::T;
    using Arguments = flash::Arguments<T, Q, K, V, Epilogue, Sink>;
    constexpr index_t limit = index_t(1) << 30;
    const index_t key_heads = s.heads / s.group, rows = s.group * s.queries;
    require(rows < limit && s.keys < limit, "attention of ", rows, " queries and ", s.keys, " keys is too large");
    const index_t blocks = flash::blocks_of<Tile>(s), key_blocks = flash::ceiling(s.keys, Tile::keys);
    if (blocks == 0) return;
    if (splits == 0) splits = std::min(l.device().multiprocessors * Tile::min_blocks / blocks, key_blocks / 4);
    splits = std::clamp<index_t>(splits, 1, 64);

    const index_t tiles = flash::ceiling(rows, Tile::rows);
    const auto to_int = [](index_t n) { return static_cast<int>(n); };
    flash::Work work{to_int(key_heads), to_int(s.group), to_int(s.queries), to_int(s.keys), to_int(rows), to_int(tiles),
                     to_int(splits),    static_cast<float>(scale * 1.4426950408889634),  nullptr,      nullptr};
    if (splits > 1) {
        const std::size_t parts = static_cast<std::size_t>(blocks * splits * flash::partial_floats<Tile>);
        work.partial = static_cast<float*>(l.workspace(parts * sizeof(float)));
        work.arrived = l.semaphores(static_cast<std::size_t>(blocks));
    }
    const Extents<4> query_extents{{s.batch, s.heads, s.queries, Tile::d}};
    const Extents<4> key_extents{{s.batch, key_heads, s.keys, Tile::d}};
    l.launch({blocks * splits, Tile::threads, Tile::shared}, flash::kernel_of<Tile, Mask, Arguments>(),
             Arguments{work, {q, query_extents}, {k, key_extents}, {v, key_extents}, epilogue, sink});
}

/// q, k, v: bound expressions of [batch, heads, queries, D] and twice [batch, heads / group, keys, D]. The result, of
/// Q's extents, leaves through the epilogue and the sink.
template <class Mask, int D, class Q, class K, class V, class Epilogue, class Sink>
void attention(Launcher& l, const AttentionShape& s, double scale, const Q& q, const K& k, const V& v,
               const Epilogue& epilogue, const Sink& sink) {
    using T = typename flash::element_of<Q, K, V>::type;
    const auto launch = [&]<class Tile, class... Smaller>(const auto& self, types<Tile, Smaller...>) -> void {
        const bool fits = Tile::shared <= static_cast<std::size_t>(l.device().shared_bytes);
        const bool fills =
            flash::is_wide<Tile> || 4 * flash::blocks_of<Tile>(s) >= 3 * l.device().multiprocessors;
        if constexpr (sizeof...(Smaller) == 0) attention_with<Tile, Mask>(l, s, scale, q, k, v, epilogue, sink);
        else if (fits && fills) attention_with<Tile, Mask>(l, s, scale, q, k, v, epilogue, sink);
        else self(self, types<Smaller...>{});
    };
    launch(launch, typename flash::Tiles<T, D>::type{});
}

}  // namespace inlay::inline INLAY_ABI::cuda
