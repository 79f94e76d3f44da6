// SPDX-License-Identifier: Apache-2.0
/// The places of a lane's scores among [batch, heads, queries, keys], and leaves of expressions there.
#pragma once

#include <inlay/plan/attention/score_value.hpp>
#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Leaves of an expression of a row: those of a score, of which slots are read at key 0, beside the score.
template <class Environment>
struct RowLeaves {
    const Environment& env;
    ScoreRow row;
    index_t key;
    float score;

    __device__ INLAY_INLINE float operator()(Score) const { return score; }
    template <class Leaf>
    __device__ INLAY_INLINE float operator()(Leaf leaf) const {
        return ScoreLeaves<float, Environment>{env, row, inlay::detail::is_coord<Leaf> ? key : 0, 0.0f}(leaf);
    }
};

template <class Environment>
__device__ INLAY_INLINE RowLeaves<Environment> row_leaves(const Environment& env, const ScoreRow& row) {
    return {env, row, 0, 0.0f};
}

/// Leaves of a score in F, of which slots are read at key 0 where none of them changes with the key: they are loaded
/// once a row then.
template <bool SlotsOfKeys, class F, class Environment>
struct KeyLeaves {
    ScoreLeaves<F, Environment> at;

    template <class Leaf>
    __device__ INLAY_INLINE F operator()(Leaf leaf) const {
        if constexpr (inlay::detail::is_buf<Leaf> && !SlotsOfKeys)
            return ScoreLeaves<F, Environment>{at.env, at.row, 0, F(0)}(leaf);
        else
            return at(leaf);
    }
};

/// The rows and keys of a lane's registers. Behind the last ones they are the last: slots have no more.
template <class Atom, class Environment>
struct ScorePlaces {
    const Environment& env;
    int batch, head, queries, rows, keys;
    int row0, key0;     ///< of the lane's first register

    /// Row h of tile m.
    __device__ INLAY_INLINE ScoreRow row(int m, int h) const {
        const int r = (::min)(row0 + m * 16 + c_row<Atom>(h), rows - 1);
        const unsigned u = static_cast<unsigned>(r), g = u / static_cast<unsigned>(queries);
        return {batch, head + static_cast<index_t>(g), u - g * static_cast<unsigned>(queries)};
    }
    /// The key of register r of a row in tile n.
    __device__ INLAY_INLINE int key(int n, int r) const { return key0 + n * Atom::n + c_column<Atom>(r); }
    __device__ INLAY_INLINE int stored_key(int n, int r) const { return (::min)(key(n, r), keys - 1); }

    __device__ INLAY_INLINE RowLeaves<Environment> leaves(int m, int h, int n = 0, int r = 0, float score = 0) const {
        return {env, row(m, h), key(n, r), score};
    }
};

/// Those of a warp's lane. `row`: the warp's first one in the work tile; `key`: its first key.
template <class Atom, class Work, class Args>
__device__ INLAY_INLINE auto score_places(const Work& work_tile, const Args& a, int row, int key, int lane) {
    const auto first = Atom::place_c(lane, 0);
    return ScorePlaces<Atom, std::remove_cvref_t<decltype(a.env)>>{
        a.env,       work_tile.batch, work_tile.head,                       a.grid.queries,
        a.grid.rows, a.grid.keys,     work_tile.first_row + row + first.row, key + first.column};
}

/// Calls f(m, h, n, r, leaves) for a lane's registers, with leaves of E at each but for `Out`.
template <class E, int MTiles, int KeyTiles, class Atom, class Environment, class Call>
__device__ INLAY_INLINE void at_scores(const ScorePlaces<Atom, Environment>& at, const Call& f) {
    const auto each = [&]<bool SlotsOfKeys>(std::bool_constant<SlotsOfKeys>) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) {
                const ScoreRow row = at.row(m, h);
                INLAY_UNROLL
                for (int n = 0; n < KeyTiles; ++n)
                    INLAY_UNROLL
                    for (int r = 0; r < Atom::c_columns; ++r)
                        f(m, h, n, r, [&]<class F>(F product) {
                            const index_t key = SlotsOfKeys ? at.stored_key(n, r) : at.key(n, r);
                            return KeyLeaves<SlotsOfKeys, F, Environment>{{at.env, row, key, product}};
                        });
            }
    };
    if constexpr (inlay::detail::slots_in<E>::any) {
        if (inlay::detail::slots_in<E>::vary(at.env, 3)) return each(std::true_type{});
    }
    each(std::false_type{});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
