// SPDX-License-Identifier: Apache-2.0
/// The product of rows whose segments are a few elements each: the taps of a convolution over an image's 3 or 4
/// channels. A k-block then holds many segments at once instead of a part of one, and is gathered by four elements at a
/// time, which a thread evaluates, or only copies, straight into the stage. Weights are copied by as many. The sum is
/// short: there is one stage.
#pragma once

#include <inlay/tile/gpu/gemm/sums.hpp>
#include <inlay/tile/gpu/epilogue/generic.hpp>
#include <inlay/tile/gpu/epilogue/row_stats.hpp>
#include <inlay/tile/gpu/gemm/short_sum.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The one stage, in quads: four elements of a row.
template <class Tile, class Args>
struct GatherStage {
    using T = typename Tile::value_type;
    static constexpr int lanes = 4, bytes = lanes * static_cast<int>(sizeof(T)), quads = Tile::k / lanes;

    __device__ INLAY_INLINE static std::uint32_t place(int row, int quad) {
        return swizzled<Tile::chunks>(row, quad * bytes / 16) + static_cast<std::uint32_t>(quad * bytes % 16);
    }
    /// Four values as T, rounded.
    __device__ INLAY_INLINE static void store(char* to, const Vec<float, lanes>& v) {
        if constexpr (sizeof(T) == 4) *reinterpret_cast<float4*>(to) = make_float4(v.v[0], v.v[1], v.v[2], v.v[3]);
        else
            *reinterpret_cast<uint2*>(to) =
                make_uint2(rounded_pair<T>(v.v[0], v.v[1]), rounded_pair<T>(v.v[2], v.v[3]));
    }
    /// Prefetches the weights of the first k-block, a line of each row, into the second-level cache.
    __device__ static void ask_for_weights(const Args& a, const GemmWorkTile& work_tile, const Thread& t) {
        const int rows = a.total > 0 ? (::min)(Tile::n, a.n - work_tile.n0) : 0;
        const T* const w = a.w + work_tile.batch * a.w_batch + static_cast<index_t>(work_tile.n0) * a.w_row;
        for (int row = t.id; row < rows; row += Tile::threads) prefetch_line(w + static_cast<index_t>(row) * a.w_row);
    }
    /// Starts the copies of the weights of elements [k0, k0 + Tile::k) of the sum to `tile`.
    __device__ static void copy_weights(const Args& a, const GemmWorkTile& work_tile, const Thread& t, int k0,
                                        char* tile) {
        const T* const w = a.w + work_tile.batch * a.w_batch;
        const bool aligned = is_aligned(w, bytes) && a.w_row % lanes == 0;
        // A thread has one quad of every `rows`-th row, which differ by multiples of 8: their places are swizzled
        // alike.
        constexpr int rows = Tile::threads / quads;
        static_assert(Tile::threads % quads == 0 && rows % 8 == 0);
        const int quad = t.id % quads, kk = k0 + quad * lanes, n = (::min)((::max)(a.total - kk, 0), lanes);
        char* to = tile + place(t.id / quads, quad);
#pragma unroll 2
        for (int row = t.id / quads; row < Tile::n; row += rows, to += rows * Tile::chunks * 16) {
            const int here = work_tile.n0 + row < a.n ? n : 0;
            const T* const from = here > 0 ? w + static_cast<index_t>(work_tile.n0 + row) * a.w_row + kk : w;
            if (aligned) copy_async_part<bytes>(shared_address(to), from, here * static_cast<int>(sizeof(T)));
            else store(to, load_lanes<lanes>(from, 1, 0, here));
        }
        copy_commit();
    }
};

/// The rows of A. A thread has one of the tile, of which it has every `apart`-th quad: its begin is found once.
template <class Tile, class Args>
class GatherRows {
    using Stage = GatherStage<Tile, Args>;
    using T = typename Tile::value_type;
    static constexpr int lanes = Stage::lanes, apart = Tile::threads / Tile::m, each = Stage::quads / apart;
    static_assert(Tile::threads % Tile::m == 0 && Stage::quads % apart == 0);

public:
    __device__ INLAY_INLINE GatherRows(const Args& a, const GemmWorkTile& work_tile, const Thread& t)
        : row_(t.id % Tile::m), first_(t.id / Tile::m), total_(work_tile.m0 + row_ < a.m ? a.total : 0),
          start_(a.rows.row(work_tile.batch, (::min)(work_tile.m0 + row_, a.m - 1))) {}

    /// Finds the first elements of a thread's quads, in a k-block from k0 on, if the input is one tensor. Reads none of
    /// it.
    __device__ INLAY_INLINE void find(const Args& a, int k0) {
        if constexpr (Args::affine) {
            INLAY_UNROLL
            for (int i = 0; i < each; ++i) {
                const int kk = k0 + (first_ + i * apart) * lanes;
                from_[i] = nullptr;
                if (!a.view.data || kk >= total_) continue;
                const int segment = static_cast<int>(static_cast<unsigned>(kk) / static_cast<unsigned>(a.k));
                Extents<Args::rank> c;
                if (!a.rows.at(start_, segment, c)) continue;
                c.back(0) += kk - segment * a.k;
                from_[i] = a.view.data + inlay::detail::offset(c, a.view.strides);
            }
        }
    }
    /// Prefetches the elements found into the second-level cache: the kernel before may still write them.
    __device__ INLAY_INLINE void ask() const {
        if constexpr (Args::affine) {
            INLAY_UNROLL
            for (int i = 0; i < each; ++i)
                if (from_[i]) prefetch_line(from_[i]);
        }
    }
    /// Stores the k-block's rows to `tile`, after `find`.
    __device__ INLAY_INLINE void load(const Args& a, int k0, char* tile) const {
        if constexpr (Args::affine)
            if (has_whole_quads(a)) return copy(tile);
#pragma unroll 1
        for (int quad = first_; quad < Stage::quads; quad += apart) {
            const int kk = k0 + quad * lanes;
            Stage::store(tile + Stage::place(row_, quad),
                         evaluate_sum<lanes>(a, start_, kk, (::min)(total_ - kk, lanes)));
        }
    }

private:
    /// True if the input is one tensor of which a quad is always whole and aligned.
    __device__ static bool has_whole_quads(const Args& a) {
        bool whole = a.view.data && a.k % lanes == 0 && is_aligned(a.view.data, Stage::bytes) &&
                     a.view.strides.back(0) == 1;
        for (int i = 0; i + 1 < Args::rank; ++i) whole = whole && a.view.strides[i] % lanes == 0;
        return whole;
    }
    /// Copies all quads of a thread at once, so that its loads overlap.
    __device__ INLAY_INLINE void copy(char* tile) const {
        using PackedChunk = std::conditional_t<sizeof(T) == 4, uint4, uint2>;
        PackedChunk words[each];
        INLAY_UNROLL
        for (int i = 0; i < each; ++i)
            words[i] = from_[i] ? *reinterpret_cast<const PackedChunk*>(from_[i]) : PackedChunk{};
        INLAY_UNROLL
        for (int i = 0; i < each; ++i)
            *reinterpret_cast<PackedChunk*>(tile + Stage::place(row_, first_ + i * apart)) = words[i];
    }

    int row_, first_, total_;
    typename Args::Rows::Row start_;
    const T* from_[each];
};

/// A block finds its addresses and prefetches them before the kernel before has ended.
template <class Tile, class Args, Images In>
struct GatherBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = Tile::blocks, alignment = 256;
    static constexpr Images images = In;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* shared) {
        using Stage = GatherStage<Tile, Args>;
        const Thread t;
        const GemmWorkTile work_tile = GemmWorkTile::of<Tile>(a, work.tile());
        WarpProduct<Tile> product(t, Tile::a_bytes);
        const std::uint32_t stage = shared_address(shared);
        const auto fill = [&](const GatherRows<Tile, Args>& rows, int k0) {
            Stage::copy_weights(a, work_tile, t, k0, shared + Tile::a_bytes);
            rows.load(a, k0, shared);
        };
        {
            GatherRows<Tile, Args> rows(a, work_tile, t);
            rows.find(a, 0);
            rows.ask();
            Stage::ask_for_weights(a, work_tile, t);
            after_previous_kernel();
            if (a.total > 0) fill(rows, 0);
        }
#pragma unroll 1
        for (int k0 = 0; k0 < a.total;) {
            copy_wait<0>();
            block_sync();
            product.begin(stage);
            product.multiply([](int) {}, [=] { return stage; });
            k0 += Tile::k;
            if (k0 >= a.total) break;
            block_sync();
            GemmWorkTile again = work_tile;
            forget(again.m0);       // else places of rows stay in registers while tiles are multiplied
            GatherRows<Tile, Args> rows(a, again, t);
            rows.find(a, k0);
            fill(rows, k0);
        }
        block_sync();
        float* const out = reinterpret_cast<float*>(shared);
        ReducedSums<Tile>(product, out, t).store(out, t);
        block_sync();
        EpilogueTile<Tile, Args>::run(a, work_tile, t, shared);
        if constexpr (publishes_rows<typename Args::Sink>) {
            block_sync();
            publish_stored_rows(a, work_tile.batch, RowPart::of(a, work_tile.n0, Tile::n), Tile::m, t.id, Tile::threads,
                                [&](int i) { return work_tile.m0 + i < a.m ? work_tile.m0 + i : -1; });
        }
    }
};

template <class Tile, Images In, class Args>
void gather(Launcher& l, Args& a) {
    a.m_tiles = (a.m + Tile::m - 1) / Tile::m;
    a.n_tiles = (a.n + Tile::n - 1) / Tile::n;
    constexpr int stage = Tile::a_bytes + Tile::b_bytes, finish = EpilogueTile<Tile, Args>::bytes;
    constexpr std::size_t bytes = stage > finish ? stage : finish;
    l.launch<GatherBody<Tile, Args, In>>({.blocks = static_cast<index_t>(a.batch) * a.m_tiles * a.n_tiles,
                                      .threads = Tile::threads,
                                      .shared = bytes,
                                      .overlaps = true},
                                     a);
    if constexpr (publishes_rows<typename Args::Sink>)
        if (publishes_in_tiles(a)) l.note_rows_published();
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
