// SPDX-License-Identifier: Apache-2.0
/// The block tile of attention on sm_90a, the parameters of its kernel, and the division of its shared memory.
///
/// One warp starts the copies: Q once, then a ring of blocks of K and V. Each of `Groups` warpgroups has 64 queries, of
/// one head: scores are a product of both operands from shared memory, probabilities stay in registers as the first
/// operand of the second product, and V is multiplied as it lies, a key a row.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/plan/attention/wgmma_schedules.hpp>
#include <inlay/tile/cuda/wgmma/attention/found_rows.hpp>
#include <inlay/tile/cuda/wgmma/attention/key_blocks.hpp>
#include <inlay/tile/cuda/wgmma/gemm/tile.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Blocks of Keys keys, Stages of K and V under way, Blocks blocks of threads on a multiprocessor at once. Ordered: one
/// warpgroup after the other issues its products. With one stage all keys are one block, no warp only copies, and a
/// warpgroup has 64 queries up to QueryTiles times. Shares: so many warpgroups have the same queries, each a share of
/// columns of V, and each computes the scores. Cluster: two blocks of a cluster have the same queries, each a half of
/// the keys; one sends the other its output of that one's columns. Folded: for scores that are exponents as they are;
/// the product subtracts the maximum, in columns of Q and K behind their last. DV: columns of V.
template <class T_, int D, int Groups, int Keys, int Stages, int Blocks = 1, bool Ordered = false, int QueryTiles = 1,
          int Shares = 1, bool Cluster = false, bool Folded = false, int DV = D>
struct WgmmaAttentionTile {
    using T = T_;
    static constexpr int d = D, groups = Groups, keys = Keys, stages = Stages, min_blocks = Blocks;
    static constexpr bool ordered = Ordered && Groups > 1;
    static constexpr bool single = Stages == 1, cluster = Cluster, folded = Folded;
    static constexpr int shares = Shares, own = DV / Shares;    ///< columns of a warpgroup's output
    static constexpr int together = Cluster ? 2 : 1;            ///< blocks of a cluster
    static constexpr int query_tiles = QueryTiles, rows = 64 * (Groups / Shares) * QueryTiles;
    static constexpr int threads = 128 * (Groups + (single ? 0 : 1));
    static constexpr int row_bytes = 128;               ///< 64 columns, of which the copied ones may be fewer
    static constexpr int atoms = (D + 63) / 64, atoms_of_v = (DV + 63) / 64;    ///< of 64 columns
    static constexpr int steps = (D + 15) / 16, key_steps = Keys / 16;
    /// Columns of a row's last atom that are copied, of Q and K, where they are zeros beyond D, and of V.
    static constexpr int last = WgmmaAttentionSchedule{}.last_columns(D, Folded), last_of_v = DV - 64 * (atoms_of_v - 1);
    static constexpr int copied_bytes = 128 * (atoms - 1) + 2 * last,
                         copied_bytes_of_v = 128 * (atoms_of_v - 1) + 2 * last_of_v;    ///< of a row
    /// Two: for the last atom, and for those before it.
    static constexpr int boxes = (atoms > 1 && last < 64) || (atoms_of_v > 1 && last_of_v < 64) ? 2 : 1;
    static constexpr int q_atom = rows * row_bytes, key_atom = Keys * row_bytes;
    static constexpr int q_bytes = atoms * q_atom, key_bytes = atoms * key_atom;
    static constexpr int stage_bytes = key_bytes + atoms_of_v * key_atom;
    /// Registers of a thread at the start, of a producer, and of a consumer: the producer warpgroup gives the others
    /// the registers that it does not need.
    static constexpr int at_start = 65536 / (threads * Blocks) / 8 * 8, few = 24,
                         most = (at_start * (Groups + 1) - few) / Groups / 8 * 8, many = most < 240 ? most : 240;
    static constexpr int barriers = 2 + 4 * Stages;
    /// Words that a warpgroup sends to another block: the output, and of two rows the sum and the maximum.
    static constexpr int sent_bytes = 128 * (own / 2 + 4) * 4;
    /// 1 KB goes to alignment.
    static constexpr int shared = 1024 + q_bytes + Stages * stage_bytes + 8 * barriers;
    static_assert(D % 8 == 0 && DV % 8 == 0 && Keys % 16 == 0 && Keys <= 256 && rows <= 256 &&
                  (single || QueryTiles == 1) && Blocks * (shared + 1024) <= 228 * 1024);
    static_assert(!Folded || WgmmaAttentionSchedule{.stages = Stages}.folds(D));
    static_assert(Groups % Shares == 0 && (Shares == 1 || (DV / Shares % 64 == 0 && QueryTiles == 1)) &&
                  (!Cluster || (Groups == 2 && Shares == 2 && sent_bytes <= Stages * stage_bytes)));
};

/// Kernel parameters.
template <class Epilogue_, class Sink_, int Boxes = 1, class Environment = Env<4, 0>>
struct WgmmaAttentionArgs {
    using Epilogue = Epilogue_;
    using Sink = Sink_;

    TensorMap q[Boxes], k[Boxes], v[Boxes];     ///< the last of each is for the last atom of a row
    Epilogue epilogue;
    Sink sink;
    ShortDivisor by_tiles{}, by_heads{}, by_group{};
    int tiles = 0, heads = 0;   ///< tiles of a head's queries
    int query_tiles = 0, rows = 0;    ///< of a block: query tiles of its warpgroups, and queries
    int queries = 0, keys = 0;
    float scale = 0;            ///< of scores, times log2(e): exponentials are powers of 2
    Environment env{};          ///< of score, condition and row; `out`: the extents of scores
};

/// Addresses in a block's shared memory.
template <class Tile>
struct WgmmaAttentionShared {
    std::uint32_t q;

    __device__ std::uint32_t k(int stage) const { return q + Tile::q_bytes + stage * Tile::stage_bytes; }
    __device__ std::uint32_t v(int stage) const { return k(stage) + Tile::key_bytes; }
    __device__ std::uint32_t q_full() const { return k(Tile::stages); }
    __device__ std::uint32_t k_full(int stage) const { return q_full() + 8 + 32 * stage; }
    __device__ std::uint32_t k_empty(int stage) const { return k_full(stage) + 8; }
    __device__ std::uint32_t v_full(int stage) const { return k_full(stage) + 16; }
    __device__ std::uint32_t v_empty(int stage) const { return k_full(stage) + 24; }
    /// Barrier of the words that the other block of a cluster sends.
    __device__ std::uint32_t sent() const { return k_full(Tile::stages); }

    /// Called by one thread.
    __device__ void init() const {
        barrier_init(q_full(), 1);
        for (int i = 0; i < Tile::stages; ++i) {
            barrier_init(k_full(i), 1);
            barrier_init(v_full(i), 1);
            barrier_init(k_empty(i), 4 * Tile::groups);
            barrier_init(v_empty(i), 4 * Tile::groups);
        }
        if constexpr (Tile::cluster) {
            barrier_init(sent(), 1);
            barrier_expect(sent(), Tile::sent_bytes);
        }
        fence_barriers();
    }
};

/// A work tile: queries of one head, and the blocks of keys that some of them see.
template <class Tile, class Algebra>
struct WgmmaAttentionWorkTile {
    using Visits = WgmmaVisits<Tile, Algebra>;
    using Found = WgmmaFoundRows<Tile, Algebra>;
    /// Numbers [begin, end) of the blocks of keys that it visits.
    struct Turns {
        int begin, end;
    };
    static constexpr bool last_first = Algebra::scores_of_rows && score_leans<typename Algebra::score>;

    int batch, head, key_head, first_row, blocks;
    int first_block;            ///< the place of the first among the visited ones
    int rank;                   ///< in the cluster
    typename Visits::Blocks visited;
    Found found;

    /// `rows`: the place in shared memory of what is found of rows. All threads of the block call it together.
    template <class Args>
    __device__ INLAY_INLINE static WgmmaAttentionWorkTile of(const Args& a, int block, WgmmaFoundKeys* rows) {
        WgmmaAttentionWorkTile t;
        const TeamTile in_cluster = TeamTile::of(block, Tile::together);
        t.rank = in_cluster.member;
        const int tile = in_cluster.team, item = a.by_tiles.divide(tile);
        // Tiles of a head are neighbours: they read the same keys. The longest come first.
        t.first_row = (a.tiles - 1 - (tile - item * a.tiles)) * a.rows;
        t.batch = a.by_heads.divide(item);
        t.head = item - t.batch * a.heads;
        t.key_head = a.by_group.divide(t.head);
        t.found = {rows, a.keys};
        if constexpr (Found::used) {
            t.found.find(a, t.batch, t.head, t.first_row);
            block_sync();
        }
        t.visited = t.visits(a, t.first_row, (::min)(t.first_row + a.rows, a.queries));
        t.blocks = t.visited.count();
        t.first_block = 0;
        if constexpr (Tile::cluster) {
            const int half = (t.blocks + 1) / 2;
            t.first_block = t.rank * half;
            t.blocks = t.rank == 0 ? half : t.blocks - half;
        }
        return t;
    }
    /// The blocks of which some of its queries [begin, end) sees a key, and those that all of them see as a whole.
    template <class Args>
    __device__ INLAY_INLINE typename Visits::Blocks visits(const Args& a, int begin, int end) const {
        if constexpr (Found::used)
            return Visits::Blocks::template of<Tile::keys, false>(found.any_of(begin - first_row, end - first_row));
        else return Visits::visited(a, QueryTile{batch, head, 1, begin, end});
    }
    template <class Args>
    __device__ INLAY_INLINE typename Visits::Blocks full(const Args& a, int begin, int end) const {
        if constexpr (Found::used)
            return Visits::Blocks::template of<Tile::keys, true>(found.all_of(begin - first_row, end - first_row));
        else return Visits::full(a, QueryTile{batch, head, 1, begin, end});
    }
    /// Number i of its blocks of keys, in the order in which they are visited.
    __device__ INLAY_INLINE int block(int i) const {
        return visited.block(first_block + (last_first ? blocks - 1 - i : i));
    }
    /// The numbers of those blocks of `mine`, which are next to each other.
    __device__ INLAY_INLINE Turns turns(const typename Visits::Blocks& mine) const {
        const int begin = Visits::prefix ? 0 : place(mine.first()), end = place(mine.last());
        return last_first ? Turns{blocks - end, blocks - begin} : Turns{begin, end};
    }
    /// The place among its blocks of keys of those before block b.
    __device__ INLAY_INLINE int place(int b) const {
        const int before = visited.place(b);
        return Tile::cluster ? (::max)((::min)(before - first_block, blocks), 0) : before;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
