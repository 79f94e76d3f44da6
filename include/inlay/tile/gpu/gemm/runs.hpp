// SPDX-License-Identifier: Apache-2.0
/// The rows of A = the input expression, as a block reads them: in runs, over which every leaf of every row is a
/// pointer and a step (`expr/walk.hpp`). One thread places a row, and all threads that copy from it find its cursors in
/// shared memory. A run ends where that of any row ends: at a filter tap, at a boundary of a concat. Runs are cut into
/// k-blocks.
#pragma once

#include <inlay/expr/leaves.hpp>
#include <inlay/plan/access/copied.hpp>
#include <inlay/tile/gpu/chunk/vector.hpp>
#include <inlay/tile/gpu/gemm/work_tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

using inlay::detail::coord_cursor;
using inlay::detail::no_cursor;
using inlay::detail::piece_cursor;
using inlay::detail::row_cursor;

using inlay::detail::each_leaf;
using inlay::detail::leaves_of;

}  // namespace detail

/// A row of A over a run, for an input that only has to be copied: the pointer moves by `step`; null: zeros.
template <class T>
struct CopiedRow {
    const T* p;
    index_t step;

    template <int>
    __device__ INLAY_INLINE void leaf(detail::row_cursor<T>& c) {
        p = c.p, step = c.step;
    }
    template <int, class U>
    __device__ INLAY_INLINE void leaf(detail::row_cursor<U>&) {}
    __device__ INLAY_INLINE void coordinate(detail::coord_cursor&) {}
};
/// For an input that is evaluated: its cursors. Outside the row is zeros, whatever the expression gives for zeros.
template <class Cursors>
struct EvaluatedRow {
    Cursors cursors;
    int inside;
};

/// Facts of a run that hold for all rows of a block, gathered by warps.
struct RunFacts {
    int run;            ///< elements
    unsigned bits;      ///< low 4: those of the addresses of streamed leaves; from 4 on: the leaves whose step is not 1
};

/// Finds the facts of a run in the leaves of one row.
template <class T>
struct NoteRow {
    unsigned streams, bits = 0;

    template <int I, class U>
    __device__ INLAY_INLINE void leaf(detail::row_cursor<U>& c) {
        if constexpr (std::is_same_v<T, U>) {
            if (!(streams >> I & 1u)) return;
            bits |= static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(c.p)) & 15u;
            if (c.step != 1) bits |= 16u << I;
        } else {
            bits |= 16u << I;
        }
    }
    __device__ INLAY_INLINE void coordinate(detail::coord_cursor&) {}
};

/// The begin of a row as it is kept: coordinates of a product fit 32 bits.
template <class Row>
struct KeptRow {
    Row row;
    __device__ explicit KeptRow(const Row& r) : row(r) {}
    __device__ Row start() const { return row; }
};
template <int R>
struct KeptRow<Extents<R>> {
    int c[R];
    __device__ explicit KeptRow(const Extents<R>& r) {
        for (int i = 0; i < R; ++i) c[i] = static_cast<int>(r[i]);
    }
    __device__ Extents<R> start() const {
        Extents<R> r;
        for (int i = 0; i < R; ++i) r[i] = c[i];
        return r;
    }
};

/// The rows of A that a block reads, in shared memory: the begin of each, and its cursors over the runs in flight.
template <class Tile, class Args>
struct RunTable {
    using T = typename Tile::value_type;
    using In = typename Args::In;
    using Cursors = CursorsOf<typename In::expression, In, float>;
    using Start = KeptRow<typename Args::Rows::Row>;
    static constexpr bool copies = is_copied_of<T, In>;
    static constexpr int leaves = detail::leaves_of<Cursors>;
    using Entry = std::conditional_t<copies, CopiedRow<T>, EvaluatedRow<Cursors>>;
    static constexpr int lanes = Tile::atom::lanes, padded = (Tile::m + lanes - 1) / lanes * lanes,
                         warps = padded / lanes;

    Start* starts;      // [m]
    Entry* entries;     // [slots][m]
    RunFacts* facts;    // [slots][warps]

    static constexpr int starts_bytes = Tile::m * static_cast<int>(sizeof(Start));
    static constexpr int entries_bytes = Tile::m * static_cast<int>(sizeof(Entry));
    static constexpr int slot_bytes = entries_bytes + warps * static_cast<int>(sizeof(RunFacts));
    static_assert(starts_bytes % 8 == 0 && entries_bytes % 8 == 0 && alignof(Entry) <= 8 && alignof(Start) <= 8);

    /// Bytes of a stage.
    INLAY_FN static int stage_bytes(const Args& a) { return copies ? Tile::a_bytes + Tile::b_bytes : a.stage_bytes; }
    static constexpr int bytes(int slots) { return starts_bytes + slots * slot_bytes; }
    __device__ RunTable(char* memory, int slots)
        : starts(reinterpret_cast<Start*>(memory)),
          entries(reinterpret_cast<Entry*>(memory + starts_bytes)),
          facts(reinterpret_cast<RunFacts*>(memory + starts_bytes + slots * entries_bytes)) {}

    __device__ void start(const Args& a, const GemmWorkTile& work_tile, const Thread& t) {
        for (int r = t.id; r < Tile::m; r += Tile::threads)
            if (work_tile.m0 + r < a.m) starts[r] = Start(a.rows.row(work_tile.batch, work_tile.m0 + r));
    }
    /// Places the run that begins at element kk of the sum and ends before `end`, or earlier.
    __device__ void place(const Args& a, const GemmWorkTile& work_tile, const Thread& t, int slot, int kk, int end) {
        const int segment = kk / a.k, k = kk - segment * a.k;
        for (int r = t.id; r < padded; r += Tile::threads) {
            NoteRow<T> note{a.streams};
            int run = (::min)(a.k - k, end - kk);
            if (r < Tile::m) {
                Extents<Args::rank> c;
                Cursors cursors;
                const bool inside = work_tile.m0 + r < a.m && a.rows.at(starts[r].start(), segment, c);
                CopiedRow<T> copied{nullptr, 0};
                bool placed = !inside;
                if (inside) c.back(0) += k;
                if constexpr (Args::affine)
                    if (inside && a.view.data) {
                        copied = {a.view.data + inlay::detail::offset(c, a.view.strides), a.view.strides.back(0)};
                        inlay::detail::row_cursor<T> leaf{copied.p, copied.step};
                        note.template leaf<0>(leaf);
                        placed = true;
                    }
                if (!placed) {
                    Walk<Args::rank> walk{c, Args::rank - 1, run};
                    cursors.place(a.in, walk, nullptr);
                    run = static_cast<int>(walk.run);
                    detail::each_leaf<0>(cursors, note);
                }
                Entry& e = entries[slot * Tile::m + r];
                if constexpr (copies) {
                    if (!placed) detail::each_leaf<0>(cursors, copied);
                    e = copied;
                } else {
                    if (inside) e.cursors = cursors;
                    e.inside = inside;
                }
            }
            run = least_of_lanes(run);
            const unsigned bits = bits_of_lanes(note.bits);
            if (t.lane == 0) facts[slot * warps + r / lanes] = {run, bits};
        }
    }
    __device__ RunFacts read(int slot) const {
        RunFacts f = facts[slot * warps];
        INLAY_UNROLL
        for (int i = 1; i < warps; ++i) {
            const RunFacts g = facts[slot * warps + i];
            f = {(::min)(f.run, g.run), f.bits | g.bits};
        }
        return f;
    }
};

/// Walks over the k-blocks of a block's share of the sum, run after run, as the table has them.
struct Steps {
    int kk = 0;             ///< of the sum, where the run begins
    int j = 0;              ///< of the run, where the k-block begins
    RunFacts facts{0, 0};
    int slot = -1;

    /// Elements of the k-block, at most those of the tile's.
    __device__ int left() const { return facts.run - j; }
    template <class Table>
    __device__ void enter(const Table& table, int slots) {
        kk += facts.run;
        j = 0;
        slot = slot + 1 == slots ? 0 : slot + 1;
        facts = table.read(slot);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
