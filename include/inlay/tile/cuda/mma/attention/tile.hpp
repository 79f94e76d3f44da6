// SPDX-License-Identifier: Apache-2.0
/// The block tile of attention: the work of a block of threads, its division among warps, and its shared memory.
#pragma once

#include <inlay/plan/attention/schedules.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Rows of D elements of T in shared memory. D is rounded up to a multiple of 8, no further: an atom's last half step
/// is an atom of half the depth. A row takes an odd number of 16-byte chunks, so that the same chunk of eight rows, as
/// `ldmatrix` reads it, touches every bank once without any swizzle.
template <class T, int D>
struct AttentionRow {
    static constexpr int d = D, columns = (D + 7) / 8 * 8;
    static constexpr int bytes = columns * static_cast<int>(sizeof(T));
    static constexpr int chunks = bytes / 16;
    static constexpr int pitch = (chunks | 1) * 16;     ///< bytes from row to row
    static constexpr int steps = bytes / 32;            ///< whole steps of an atom along D
    static constexpr bool half_step = bytes % 32 != 0;  ///< and half a step (16-bit types only)
    static constexpr int out_tiles = columns / 8;       ///< tiles of eight columns of the output
    /// Floats from row to row of the output in shared memory: 8 mod 16 keeps stores of fragments free of conflicts.
    static constexpr int out_pitch = columns % 16 == 8 ? columns : columns + 8;
};

/// A block computes 16 · MTiles · RowWarps queries against blocks of Keys keys, of which each of KeyWarps groups of
/// warps takes its share and keeps a softmax of its own, merged at the end. Stages blocks of K and V are under way.
template <class Element, int D, int MTiles, int RowWarps, int KeyWarps, int Keys, int Stages, int MinBlocks = 1>
struct AttentionTile : AttentionRow<Element, D> {
    using T = Element;
    using Row = AttentionRow<T, D>;
    static constexpr int m_tiles = MTiles, row_warps = RowWarps, key_warps = KeyWarps;
    static constexpr int stages = Stages, min_blocks = MinBlocks;
    static constexpr AttentionSchedule schedule{MTiles, RowWarps, KeyWarps, Keys, Stages, MinBlocks};
    static constexpr int rows = 16 * MTiles * RowWarps, keys = Keys, warp_keys = Keys / KeyWarps;
    static constexpr int key_tiles = warp_keys / 8;
    static constexpr int threads = warp_size * RowWarps * KeyWarps;
    static_assert(Stages >= 2 && Keys % (16 * KeyWarps) == 0);
    /// Q stays in registers while they suffice.
    static constexpr bool q_in_registers = sizeof(T) == 2 && MTiles * Row::bytes / 8 <= 40;

    static constexpr int q_bytes = rows * Row::pitch, key_bytes = Keys * Row::pitch;
    static constexpr int loop_bytes = q_bytes + 2 * Stages * key_bytes;
    static constexpr int out_bytes = 4 * rows * (Row::out_pitch + 2 * KeyWarps);
    static constexpr int shared = attention_shared_bytes(schedule, sizeof(T), D);
    static_assert(shared >= loop_bytes && shared >= out_bytes);
};

/// Long heads: the output of a row fills the registers of several warps. So ColumnWarps warps of the same queries share
/// out the keys of a block for the scores, and the columns of V for the output; the probabilities pass through shared
/// memory. K and V have a buffer each, refilled while the other one is read.
template <class Element, int D, int MTiles, int RowWarps, int ColumnWarps, int Keys>
struct AttentionWideTile : AttentionRow<Element, D> {
    using T = Element;
    using Row = AttentionRow<T, D>;
    static constexpr int m_tiles = MTiles, row_warps = RowWarps, column_warps = ColumnWarps;
    static constexpr int rows = 16 * MTiles * RowWarps, keys = Keys;
    static constexpr int warp_keys = Keys < 8 * ColumnWarps ? 8 : Keys / ColumnWarps;  ///< none for some warps
    static constexpr int key_tiles = warp_keys / 8;
    static constexpr int warp_out_tiles = (Row::out_tiles + ColumnWarps - 1) / ColumnWarps;
    static constexpr int threads = warp_size * RowWarps * ColumnWarps;
    static constexpr int min_blocks = 1;
    static constexpr AttentionSchedule schedule{MTiles, RowWarps, ColumnWarps, Keys, 1, 1, true};
    static_assert(Keys % warp_keys == 0 && Keys % 16 == 0);

    static constexpr int p_pitch = (Keys * static_cast<int>(sizeof(T)) / 16 | 1) * 16;
    /// The last warp's share of V may reach past its columns: into the next row, or the bytes after the last one.
    static constexpr int overhang = ColumnWarps * warp_out_tiles * 8 * static_cast<int>(sizeof(T)) - Row::pitch;
    static constexpr int q_bytes = rows * Row::pitch, key_bytes = Keys * Row::pitch;
    static constexpr int value_bytes = key_bytes + (overhang > 0 ? overhang : 0);
    static constexpr int p_bytes = rows * p_pitch;
    static constexpr int loop_bytes = q_bytes + key_bytes + value_bytes + p_bytes + 4 * rows * ColumnWarps;
    static constexpr int out_bytes = 4 * rows * (Row::out_pitch + 2);
    static constexpr int shared = attention_shared_bytes(schedule, sizeof(T), D);
    static_assert(shared >= loop_bytes && shared >= out_bytes);
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
