// SPDX-License-Identifier: Apache-2.0
/// The block tile of attention: the work of a block of threads, its division among warps, and its shared memory.
#pragma once

#include <inlay/plan/attention/schedules.hpp>
#include <inlay/rewrite/dataflow/placement.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Rows of D elements of T in shared memory. D is rounded up to a multiple of 8, no further: chunks after an atom's
/// last whole step are a tail. A row takes an odd number of 16-byte chunks, so that the same chunk of eight rows, as
/// atoms read it, touches every bank once without any swizzle.
template <class T, class MatrixAtom, int D>
struct AttentionRow {
    static constexpr int d = D, columns = (D + 7) / 8 * 8;
    static constexpr int bytes = columns * static_cast<int>(sizeof(T));
    static constexpr int chunks = bytes / 16;
    /// Of a step of the atom: fewer where T is shorter than what it multiplies.
    static constexpr int step_chunks =
        MatrixAtom::chunks * static_cast<int>(sizeof(T)) / static_cast<int>(sizeof(typename MatrixAtom::value_type));
    static constexpr int pitch = (chunks | 1) * 16;                         ///< bytes from row to row
    static constexpr int row_bytes = pitch;                                 ///< of all rows, over their number
    static constexpr int steps = chunks / step_chunks;                      ///< whole steps of an atom along D
    static constexpr int tail_chunks = chunks % step_chunks;                ///< and what is left of another
    static constexpr int step_bytes = step_chunks * 16;
    static constexpr int out_tiles = (columns + MatrixAtom::n - 1) / MatrixAtom::n;     ///< of the atom's columns
    static constexpr int out_columns = out_tiles * MatrixAtom::n;
    /// Floats from row to row of the output in shared memory: 8 mod 16 keeps stores of fragments free of conflicts.
    static constexpr int out_pitch = out_columns % 16 == 8 ? out_columns : out_columns + 8;

    /// A lane's place among rows, from its row and 16-byte chunk in a step as fragments have them.
    INLAY_FN static constexpr int place(int of_lane) { return of_lane; }
    /// The address of `bytes` of the columns of a row `rows` behind that at `base`.
    INLAY_FN static constexpr std::uint32_t at(std::uint32_t base, int rows, int bytes) {
        return base + static_cast<std::uint32_t>(rows * pitch + bytes);
    }
};

/// Rows in boxes of the copy engine of sm_90, `Rows` rows of 128 bytes each, one box for each 128 bytes of a row. The
/// engine swizzles chunks by their row, so that eight rows touch every bank once here too. Boxes begin at multiples of
/// 1024 bytes.
template <class T, class MatrixAtom, int D, int Rows>
struct AttentionBoxRow : AttentionRow<T, MatrixAtom, D> {
    static constexpr int pitch = 128, box_bytes = Rows * 128, boxes = D * static_cast<int>(sizeof(T)) / 128;
    static constexpr int row_bytes = boxes * 128;
    static_assert(row_bytes == D * static_cast<int>(sizeof(T)) && Rows % 8 == 0 &&
                  AttentionBoxRow::tail_chunks == 0);

    INLAY_FN static constexpr int place(int of_lane) { return of_lane ^ (of_lane >> 7 & 7) << 4; }
    /// `bytes`: a multiple of a step's, whose chunks have bits of their own in an address.
    INLAY_FN static constexpr std::uint32_t at(std::uint32_t base, int rows, int bytes) {
        return (base ^ static_cast<std::uint32_t>(bytes % 128)) +
               static_cast<std::uint32_t>(rows * pitch + bytes / 128 * box_bytes);
    }
};

/// A block computes 16 · MTiles · RowWarps queries against blocks of Keys keys, of which each of KeyWarps groups of
/// warps takes its share and keeps a softmax of its own, merged at the end. Stages blocks of K and V are under way, in
/// shared memory as Cached: in fp8 where the atom converts them. Boxes: the copy engine of sm_90 brings them, those of a
/// warp under barriers of its own, behind the tile's shared memory.
template <class Element, class MatrixAtom, int D, int MTiles, int RowWarps, int KeyWarps, int Keys, int Stages,
          int MinBlocks = 1, int DV = D, class Cached = Element, bool Boxes = false>
struct AttentionTile : AttentionRow<Element, MatrixAtom, D> {
    using T = Element;
    using Atom = MatrixAtom;
    using Cache = Cached;
    using Row = AttentionRow<T, Atom, D>;
    template <int Columns>
    using CachedRow = std::conditional_t<Boxes, AttentionBoxRow<Cache, Atom, Boxes ? Columns : 64, Keys / KeyWarps>,
                                         AttentionRow<Cache, Atom, Columns>>;
    using KeyRow = CachedRow<D>;
    using ValueRow = CachedRow<DV>;     ///< of V and of the result
    static constexpr bool scales = !std::is_same_v<Cache, T>;   ///< scores and results, instead of K and V
    static constexpr int m_tiles = MTiles, row_warps = RowWarps, key_warps = KeyWarps;
    static constexpr int stages = Stages, min_blocks = MinBlocks;
    static constexpr AttentionSchedule schedule{MTiles, RowWarps, KeyWarps, Keys, Stages, MinBlocks};
    static constexpr int rows = 16 * MTiles * RowWarps, tile_rows = rows, keys = Keys, warp_keys = Keys / KeyWarps;
    static constexpr int key_tiles = warp_keys / Atom::n;
    static constexpr int threads = Atom::lanes * RowWarps * KeyWarps;
    static_assert(Atom::m == 16 && Stages >= 2);
    static_assert(Keys % (16 * KeyWarps) == 0 && warp_keys % Atom::k == 0);
    static constexpr bool boxes = Boxes;
    static constexpr int barrier_bytes = Boxes ? KeyWarps * Stages * 2 * 8 : 0;     ///< of keys, and of values
    /// Q stays in registers, as the dataflow of the fewest bytes has it, while they suffice.
    static constexpr bool q_in_registers =
        dataflow::attention_placement<>.query_in_registers && sizeof(T) == 2 &&
        MTiles * Row::bytes * static_cast<int>(sizeof(typename Atom::A)) / 4 / Row::step_bytes <= 40;

    /// Copies that pass through registers stay there until a block of keys is multiplied, if lanes have enough of them, as
    /// in waves of 64.
    static constexpr bool copies_stay = !std::is_empty_v<CopySlot> && Atom::lanes == 64;

    static constexpr int row_align = Boxes ? 1024 : 16;
    static constexpr int q_bytes = (rows * Row::pitch + row_align - 1) / row_align * row_align;
    static constexpr int key_bytes = Keys * KeyRow::row_bytes, value_bytes = Keys * ValueRow::row_bytes;
    /// The last tile of columns may reach past those of V: into the next row, or the bytes after the last one.
    static constexpr int overhang = ValueRow::out_columns * static_cast<int>(sizeof(Cache)) - ValueRow::row_bytes;
    static constexpr int loop_bytes =
        q_bytes + Stages * (key_bytes + value_bytes) + (overhang > 0 ? overhang : 0);
    static constexpr int out_bytes = 4 * rows * (ValueRow::out_pitch + 2 * KeyWarps);
    static constexpr int shared = Boxes ? larger(loop_bytes, out_bytes)
                                        : attention_shared_bytes(schedule, sizeof(T), D, Atom::n, DV, sizeof(Cache));
    static_assert(shared >= loop_bytes && shared >= out_bytes);
    static_assert(!Boxes || (RowWarps == 1 && q_in_registers));
};

/// Long heads: the output of a row fills the registers of several warps. So ColumnWarps warps of the same queries share
/// out the keys of a block for the scores, and the columns of V for the output; the probabilities pass through shared
/// memory. K and V have a buffer each, refilled while the other one is read. Tight tiles are for little memory: K and V
/// take turns in one buffer, and half the rows of Q are there, behind which the atom reads what makes rows of its result
/// that nothing reads.
template <class Element, class MatrixAtom, int D, int MTiles, int RowWarps, int ColumnWarps, int Keys,
          bool Tight = false, int DV = D>
struct AttentionWideTile : AttentionRow<Element, MatrixAtom, D> {
    using T = Element;
    using Atom = MatrixAtom;
    using Cache = T;
    using Row = AttentionRow<T, Atom, D>;
    using KeyRow = Row;
    using ValueRow = AttentionRow<T, Atom, DV>;
    static constexpr int m_tiles = MTiles, row_warps = RowWarps, column_warps = ColumnWarps;
    static constexpr bool tight = Tight, scales = false;
    static constexpr int tile_rows = 16 * MTiles * RowWarps, rows = Tight ? tile_rows / 2 : tile_rows, keys = Keys;
    static_assert(!Tight || (MTiles == 1 && RowWarps == 1));
    static constexpr int warp_keys = Keys < Atom::n * ColumnWarps ? Atom::n : Keys / ColumnWarps;  ///< none for some
    static constexpr int key_tiles = warp_keys / Atom::n;
    static constexpr int warp_out_tiles = (ValueRow::out_tiles + ColumnWarps - 1) / ColumnWarps;
    static constexpr int threads = Atom::lanes * RowWarps * ColumnWarps;
    static constexpr int min_blocks = 1;
    static constexpr AttentionSchedule schedule{MTiles, RowWarps, ColumnWarps, Keys, 1, 1, true, Tight};
    static_assert(Atom::m == 16 && Keys % warp_keys == 0 && Keys % 16 == 0 && Keys % Atom::k == 0);

    static constexpr int p_pitch = (Keys * static_cast<int>(sizeof(T)) / 16 | 1) * 16;
    /// The last warp's share of V may reach past its columns: into the next row, or the bytes after the last one.
    static constexpr int overhang =
        ColumnWarps * warp_out_tiles * Atom::n * static_cast<int>(sizeof(T)) - ValueRow::pitch;
    static constexpr int q_bytes = rows * Row::pitch, key_bytes = Keys * Row::pitch;
    static constexpr int value_bytes = Keys * ValueRow::pitch + (overhang > 0 ? overhang : 0);
    static constexpr int value_place = q_bytes + (Tight ? 0 : key_bytes);
    static constexpr int p_place = value_place + (Tight ? larger(value_bytes, key_bytes) : value_bytes);
    static constexpr int p_bytes = tile_rows * p_pitch;
    static constexpr int loop_bytes = p_place + p_bytes + 4 * tile_rows * ColumnWarps;
    static constexpr int out_bytes = 4 * tile_rows * (ValueRow::out_pitch + 2);
    static constexpr int shared = attention_shared_bytes(schedule, sizeof(T), D, Atom::n, DV);
    static_assert(shared >= loop_bytes && shared >= out_bytes);
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
