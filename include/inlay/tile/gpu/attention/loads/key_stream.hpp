// SPDX-License-Identifier: Apache-2.0
/// The blocks of keys and values of a work tile on their way through stages of shared memory, copied by all threads of
/// the block. A tile whose copies are an engine's has a stream of its own (`tile/cuda/mma/attention/box_stream.hpp`).
#pragma once

#include <inlay/tile/gpu/attention/loads/copies.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Functions are called by all threads, in this order: the first once, the last four for each block of keys.
template <class Tile, class Args, class Work>
struct KeyStream {
    static constexpr int stage_bytes = Tile::key_bytes + Tile::value_bytes;
    static constexpr bool of_warps = false;     ///< warps do not wait for each other in the loop
    using NextKeys = NextRows<Tile, typename Tile::KeyRow, std::remove_cvref_t<decltype(Args::k)>>;
    using NextValues = NextRows<Tile, typename Tile::ValueRow, std::remove_cvref_t<decltype(Args::v)>>;

    const Args& a;
    const Work& work_tile;
    std::byte* stages;
    NextKeys next_keys;
    NextValues next_values;

    __device__ INLAY_INLINE KeyStream(const Args& args, const Work& work, std::byte* at, const std::byte*, int)
        : a(args), work_tile(work), stages(at) {}

    /// Begins copies that do not wait for those of Q, after the kernel before.
    __device__ INLAY_INLINE void begin_early() {}
    /// Begins the others, behind those of Q.
    __device__ INLAY_INLINE void begin() {
        find(work_tile.begin);
        INLAY_UNROLL
        for (int i = 0; i < Tile::stages - 1; ++i) {
            load(work_tile.begin + i);
            land(work_tile.begin + i);
        }
    }
    __device__ INLAY_INLINE void wait_for_queries() {
        copy_wait<Tile::stages - 2>();
        block_sync();
    }
    __device__ INLAY_INLINE void wait_for_keys(int visit) {
        copy_wait<Tile::stages - 2>();
        block_sync();  // the block has arrived, and the reads of the one that the next one replaces are done
        load(visit + Tile::stages - 1);
    }
    /// Bytes from the first stage to that of a block.
    __device__ INLAY_INLINE int place(int visit) const {
        return (visit - work_tile.begin) % Tile::stages * stage_bytes;
    }
    /// Keys have been read.
    __device__ INLAY_INLINE void release_keys(int) {}
    __device__ INLAY_INLINE void wait_for_values(int) {}
    /// Values have been read.
    __device__ INLAY_INLINE void release_values(int visit) { land(visit + Tile::stages - 1); }
    __device__ INLAY_INLINE void end() { copy_wait<0>(); }

private:
    __device__ INLAY_INLINE KeyRows rows(int i) const {
        return {work_tile.batch, work_tile.key_head, work_tile.blocks.block(i) * Tile::keys, a.grid.keys};
    }
    __device__ INLAY_INLINE std::byte* stage(int i) const { return stages + place(i); }
    __device__ INLAY_INLINE void find(int i) {
        next_keys.find(a.k, rows(i));
        next_values.find(a.v, rows(i));
    }
    __device__ INLAY_INLINE void load(int i) {
        if (i < work_tile.end) {
            next_keys.load(stage(i), a.k, rows(i));
            next_values.load(stage(i) + Tile::key_bytes, a.v, rows(i));
            find(i + 1);
        }
        copy_commit();
    }
    __device__ INLAY_INLINE void land(int i) {
        if constexpr (NextKeys::stay || NextValues::stay)
            if (i < work_tile.end) {
                next_keys.land(stage(i), a.k, rows(i));
                next_values.land(stage(i) + Tile::key_bytes, a.v, rows(i));
            }
    }
};

/// True if each warp copies the rows that it reads: `cp.async` brings them, or they are evaluated at once, and no other
/// warp reads them. Three stages under way at once are slower so, except of pages: a warp finds their addresses at less
/// cost.
template <class Tile, class Args>
inline constexpr bool warps_copy =
    !Tile::boxes && Tile::row_warps == 1 && sizeof(typename Tile::T) == 2 &&
    (Tile::stages == 2 ||
     (std::remove_cvref_t<decltype(Args::k)>::paged && std::remove_cvref_t<decltype(Args::v)>::paged)) &&
    Tile::Atom::lanes == warp_size && !copies_land &&
    !std::remove_cvref_t<decltype(Args::k)>::maybe_held && !std::remove_cvref_t<decltype(Args::v)>::maybe_held;

/// True if K and V may lie in memory as they are copied.
template <class Args>
inline constexpr bool copies_rows =
    std::remove_cvref_t<decltype(Args::k)>::maybe_copied && std::remove_cvref_t<decltype(Args::v)>::maybe_copied;

/// No warp waits for another, and keys are replaced while their values are multiplied.
template <class Tile, class Args, class Work>
    requires warps_copy<Tile, Args>
struct KeyStream<Tile, Args, Work> {
    static constexpr int stage_bytes = Tile::key_bytes + Tile::value_bytes, stages = Tile::stages;
    static constexpr bool of_warps = true;
    /// Groups of copies that are under way beside those that are waited for.
    static constexpr int others = 2 * stages - 1;
    template <class Row, class From>
    using Places = RowPlaces<RowShare<Row, Tile::warp_keys, warp_size>, typename std::remove_cvref_t<From>::Place>;

    const Args& a;
    const Work& work_tile;
    std::byte *keys, *values;       ///< of the warp, in the first stage
    int warp_key;
    Places<typename Tile::KeyRow, decltype(Args::k)> key_places;
    Places<typename Tile::ValueRow, decltype(Args::v)> value_places;

    __device__ INLAY_INLINE KeyStream(const Args& args, const Work& work, std::byte* at, const std::byte*, int first_key)
        : a(args), work_tile(work), keys(at + first_key * Tile::KeyRow::row_bytes),
          values(at + Tile::key_bytes + first_key * Tile::ValueRow::row_bytes), warp_key(first_key) {}

    __device__ INLAY_INLINE void begin_early() {}
    __device__ INLAY_INLINE void begin() {
        key_places.read(a.k, rows(work_tile.begin));
        value_places.read(a.v, rows(work_tile.begin));
        INLAY_UNROLL
        for (int i = 0; i < stages; ++i) {
            load_keys(work_tile.begin + i);
            load_values(work_tile.begin + i);
        }
    }
    __device__ INLAY_INLINE void wait_for_queries() {
        copy_wait<others>();
        block_sync();
    }
    __device__ INLAY_INLINE void wait_for_keys(int) {
        copy_wait<others>();
        warp_sync();
    }
    __device__ INLAY_INLINE int place(int visit) const { return (visit - work_tile.begin) % stages * stage_bytes; }
    __device__ INLAY_INLINE void release_keys(int visit) {
        warp_sync();
        load_keys(visit + stages);
    }
    __device__ INLAY_INLINE void wait_for_values(int) { wait_for_keys(0); }
    __device__ INLAY_INLINE void release_values(int visit) {
        warp_sync();
        load_values(visit + stages);
    }
    __device__ INLAY_INLINE void end() { copy_wait<0>(); }

private:
    __device__ INLAY_INLINE KeyRows rows(int i) const {
        return {work_tile.batch, work_tile.key_head, work_tile.blocks.block(i) * Tile::keys + warp_key, a.grid.keys};
    }
    __device__ INLAY_INLINE void load_keys(int i) { load<typename Tile::KeyRow>(keys, a.k, key_places, i); }
    __device__ INLAY_INLINE void load_values(int i) { load<typename Tile::ValueRow>(values, a.v, value_places, i); }
    template <class Row, class From, class P>
    __device__ INLAY_INLINE void load(std::byte* to, const From& from, P& places, int i) const {
        if (i < work_tile.end) {
            load_rows<Row, Tile::warp_keys, warp_size>(to + place(i), from, rows(i), places);
            places.read(from, rows(i + 1));
        }
        copy_commit();
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
