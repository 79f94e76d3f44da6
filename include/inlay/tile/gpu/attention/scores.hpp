// SPDX-License-Identifier: Apache-2.0
/// The scores of a warp against a block of keys, in the places of the atom's C.
#pragma once

#include <inlay/plan/attention/visible_keys.hpp>
#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/attention/places.hpp>
#include <inlay/tile/gpu/attention/quick_score.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/attention/tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

template <class Tile>
using FragmentsOf = Fragments<typename Tile::Atom>;
template <class Tile>
using ScoreTile = typename Tile::Atom::C[Tile::m_tiles][Tile::key_tiles];

/// Q of a warp: either in registers, loaded once, or read from shared memory for every block of keys.
template <class Tile, bool InRegisters = Tile::q_in_registers>
struct Queries {
    using A = typename Tile::Atom::A;
    using Tail = typename FragmentsOf<Tile>::Tail;
    std::uint32_t rows;
    int lane;

    /// `rows`: the address of the warp's first query.
    __device__ Queries(std::uint32_t rows_, int lane_) : rows(rows_), lane(lane_) {}
    __device__ INLAY_INLINE void load() {}
    __device__ INLAY_INLINE A step(int m, int i) const {
        A a;
        using F = FragmentsOf<Tile>;
        F::template load_a<Tile::pitch>(a, rows + F::template lane_of_a<Tile::pitch>(lane) + m * 16 * Tile::pitch +
                                               i * Tile::step_bytes);
        return a;
    }
    __device__ INLAY_INLINE void tail(int m, Tail& t) const {
        FragmentsOf<Tile>::template load_tail<typename Tile::Row>(t, rows + m * 16 * Tile::pitch, lane);
    }
};
template <class Tile>
struct Queries<Tile, true> {
    using A = typename Tile::Atom::A;
    using Tail = typename FragmentsOf<Tile>::Tail;
    Queries<Tile, false> from;
    A a[Tile::m_tiles][room_for<Tile::steps>];
    Tail last[Tile::m_tiles];
    float back[Tile::m_tiles][Tile::Atom::c_rows];      ///< factors that bring scores of scaled rows to their size

    __device__ Queries(std::uint32_t rows, int lane) : from(rows, lane) {}
    __device__ INLAY_INLINE void load() {
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m) {
            INLAY_UNROLL
            for (int i = 0; i < Tile::steps; ++i) a[m][i] = from.step(m, i);
            if constexpr (Tile::tail_chunks > 0) from.tail(m, last[m]);
            if constexpr (Tile::scales) FragmentsOf<Tile>::to_halves(a[m], back[m]);
        }
    }
    __device__ INLAY_INLINE A step(int m, int i) const { return a[m][i]; }
    __device__ INLAY_INLINE void tail(int m, Tail& t) const { t = last[m]; }
};

template <class Tile>
__device__ INLAY_INLINE void add_to(ScoreTile<Tile>& s, const ScoreTile<Tile>& part) {
    INLAY_UNROLL
    for (int m = 0; m < Tile::m_tiles; ++m)
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n)
            INLAY_UNROLL
            for (int r = 0; r < Tile::Atom::c_count; ++r) s[m][n].r[r] += part[m][n].r[r];
}

/// s += Q Kᵀ over Steps steps of D. `k`: the lane's address of the warp's first key.
template <class Tile, int Steps, class Q>
__device__ INLAY_INLINE void add_scores(ScoreTile<Tile>& s, const Q& q, std::uint32_t k, int first) {
    using Atom = typename Tile::Atom;
    using F = FragmentsOf<Tile>;
    ScoreTile<Tile> rest = {};
    INLAY_UNROLL
    for (int step = 0; step < Steps; ++step) {
        const int i = first + step;
        decltype(F::prepared(q.step(0, 0))) a[Tile::m_tiles];
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m) a[m] = F::prepared(q.step(m, i));
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; n += 2) {
            typename Atom::B b[2];
            const std::uint32_t at = Tile::KeyRow::at(k, n * Atom::n, i * Tile::KeyRow::step_bytes);
            if (n + 1 < Tile::key_tiles) F::template load_keys<Tile::KeyRow::pitch, true>(b, at);
            else F::template load_keys<Tile::KeyRow::pitch, false>(b, at);
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < Tile::key_tiles; ++j) {
                const auto key = F::prepared(b[j]);
                INLAY_UNROLL
                for (int m = 0; m < Tile::m_tiles; ++m) add_product<Atom>(s[m][n + j], rest[m][n + j], a[m], key);
            }
        }
    }
    if constexpr (sums_in_parts<Atom>) add_to<Tile>(s, rest);
}

/// Q Kᵀ of a warp's keys. `k`: the address of its first key.
template <class Tile, class Q>
__device__ INLAY_INLINE void scores(ScoreTile<Tile>& s, const Q& q, std::uint32_t k, int lane) {
    using Atom = typename Tile::Atom;
    using F = FragmentsOf<Tile>;
    constexpr int cut = Atom::steps_per_sum;
    const std::uint32_t at = k + Tile::KeyRow::place(F::template lane_of_keys<Tile::KeyRow::pitch>(lane));
    INLAY_UNROLL
    for (int m = 0; m < Tile::m_tiles; ++m)
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n) s[m][n] = {};
    if constexpr (Tile::steps <= cut) {
        add_scores<Tile, Tile::steps>(s, q, at, 0);
    } else {
#pragma unroll 1
        for (int i = 0; i + cut <= Tile::steps; i += cut) {
            ScoreTile<Tile> part = {};
            add_scores<Tile, cut>(part, q, at, i);
            add_to<Tile>(s, part);
        }
        if constexpr (Tile::steps % cut != 0) {
            ScoreTile<Tile> part = {};
            add_scores<Tile, Tile::steps % cut>(part, q, at, Tile::steps / cut * cut);
            add_to<Tile>(s, part);
        }
    }
    if constexpr (Tile::tail_chunks > 0) {
        typename F::Tail a[Tile::m_tiles];
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m) q.tail(m, a[m]);
        F::template add_tail<typename Tile::KeyRow>(s, a, k, lane);
    }
}

/// Products of queries and keys become scores. A constant factor stays at the scores, as the dataflow has it that rounds
/// nothing again; with the weights of softmax it waits for the exponent.
template <class Tile, class Algebra, class Places>
__device__ INLAY_INLINE void finish_scores(ScoreTile<Tile>& s, const Places& at) {
    using Atom = typename Tile::Atom;
    static_assert(!dataflow::attention_placement<>.scale_on_query);
    if constexpr (!Algebra::scales_out) {
        using Score = typename Algebra::score;
        using E = std::conditional_t<sizeof(typename Tile::T) == 2, QuickScore<Score, typename Tile::T>, Score>;
        at_scores<E, Tile::m_tiles, Tile::key_tiles>(at, [&](int m, int h, int n, int r, const auto& leaves) {
            float& x = s[m][n].r[Atom::c_columns * h + r];
            x = online::evaluate<E, float>(leaves(x));
        });
    } else if constexpr (!has_softmax_weights<Algebra>) {
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m)
            INLAY_UNROLL
            for (int n = 0; n < Tile::key_tiles; ++n)
                INLAY_UNROLL
                for (int r = 0; r < Atom::c_count; ++r) s[m][n].r[r] *= static_cast<float>(Algebra::scale);
    }
}

/// Keys of a lane's row become -infinity but for those of which visible(keys behind the lane's first one) is true.
template <class Tile, class Visible>
__device__ INLAY_INLINE void hide_keys(ScoreTile<Tile>& s, int m, int h, const Visible& visible) {
    using Atom = typename Tile::Atom;
    INLAY_UNROLL
    for (int n = 0; n < Tile::key_tiles; ++n)
        INLAY_UNROLL
        for (int r = 0; r < Atom::c_columns; ++r)
            if (!visible(n * Atom::n + c_column<Atom>(r))) s[m][n].r[Atom::c_columns * h + r] = -infinity;
}

/// Keys that are hidden or absent become -infinity.
template <class Tile, class Algebra, class Places>
__device__ INLAY_INLINE void mask_scores(ScoreTile<Tile>& s, const Places& at) {
    using Atom = typename Tile::Atom;
    using Condition = typename Algebra::condition;
    if constexpr (Algebra::every_key || solved_by_types<Condition>) {
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) {
                if constexpr (Algebra::every_key) {
                    hide_keys<Tile>(s, m, h, [end = at.keys - at.key0](int key) { return key < end; });
                } else {
                    constexpr int most = most_intervals<Condition>;
                    constexpr bool prefix = most == 1 && inlay::detail::Visibility<Condition>::shape.begins;
                    const auto seen = visible_keys<Condition>(at.env, QueryTile::of(at.row(m, h)));
                    int begin[most], end[most];
                    INLAY_UNROLL
                    for (int i = 0; i < most; ++i) {
                        begin[i] = static_cast<int>(seen.at[i].begin) - at.key0;
                        end[i] = static_cast<int>(seen.at[i].end) - at.key0;
                    }
                    hide_keys<Tile>(s, m, h, [&](int key) {
                        bool visible = false;
                        INLAY_UNROLL
                        for (int i = 0; i < most; ++i) visible |= (prefix || begin[i] <= key) && key < end[i];
                        return visible;
                    });
                }
            }
    } else {
        at_scores<Condition, Tile::m_tiles, Tile::key_tiles>(at, [&](int m, int h, int n, int r, const auto& leaves) {
            // In double, as the bounds of blocks are.
            const bool visible = at.key(n, r) < at.keys && online::evaluate<Condition, double>(leaves(0.0)) != 0.0;
            if (!visible) s[m][n].r[Atom::c_columns * h + r] = -infinity;
        });
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
