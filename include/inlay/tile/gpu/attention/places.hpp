// SPDX-License-Identifier: Apache-2.0
/// The places of a lane's scores among [batch, heads, queries, keys], and leaves of expressions there.
#pragma once

#include <inlay/plan/attention/score_value.hpp>
#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/attention/work_tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// The numbers of TwoPass nodes of a row, for each the operand.
template <class List>
struct RowNumbers;
template <>
struct RowNumbers<types<>> {
    static constexpr int count = 0;
};
template <class... E>
struct RowNumbers<types<E...>> {
    static constexpr int count = static_cast<int>(sizeof...(E));
    float of[count];

    template <class Operand>
    __device__ INLAY_INLINE float value() const {
        return of[inlay::detail::index_in<types<E...>, Operand>];
    }
};

template <class Passes>
struct operands_of_passes;
template <class Last>
struct operands_of_passes<types<Last>> {
    using type = types<>;
};
template <class R, class... More>
    requires(sizeof...(More) > 0)
struct operands_of_passes<types<R, More...>> {
    using type = join_types<typename R::outputs, typename operands_of_passes<types<More...>>::type>;
};
template <class Algebra>
using NumbersOf = RowNumbers<typename operands_of_passes<typename Algebra::passes>::type>;

/// Those of a lane's rows.
template <class Algebra, class Atom, int MTiles>
struct LaneNumbers {
    NumbersOf<Algebra> row[MTiles][Atom::c_rows];
};

/// Leaves of an expression of a row: slots, which are read at key 0, numbers of passes before, the score of a key.
template <class Environment, class Numbers>
struct RowLeaves {
    const Environment& env;
    ScoreRow row;
    Numbers numbers;
    float score;

    __device__ INLAY_INLINE float operator()(Score) const { return score; }
    template <class E>
    __device__ INLAY_INLINE float operator()(TwoPass<E>) const {
        return numbers.template value<E>();
    }
    template <class Leaf>
    __device__ INLAY_INLINE float operator()(Leaf leaf) const {
        return ScoreLeaves<float, Environment>{env, row, 0, 0.0f}(leaf);
    }
};

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
template <class Atom, class Environment, class Numbers>
struct ScorePlaces {
    const Environment& env;
    const Numbers& numbers;
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

    __device__ INLAY_INLINE auto leaves(int m, int h, float score = 0.0f) const {
        return RowLeaves<Environment, std::remove_cvref_t<decltype(numbers.row[m][h])>>{env, row(m, h),
                                                                                        numbers.row[m][h], score};
    }
};

/// Those of a warp's lane. `row`: the warp's first one in the work tile; `key`: its first key.
template <class Atom, class Work, class Args, class Numbers>
__device__ INLAY_INLINE auto score_places(const Work& work_tile, const Args& a, const Numbers& numbers, int row, int key,
                                          int lane) {
    const auto first = Atom::place_c(lane, 0);
    const GridShape& g = a.grid;
    return ScorePlaces<Atom, std::remove_cvref_t<decltype(a.env)>, Numbers>{
        a.env,  numbers, work_tile.batch, work_tile.head, g.queries, g.rows,
        g.keys, work_tile.first_row + row + first.row, key + first.column};
}

/// Calls f(m, h, n, r, leaves) for a lane's registers, with leaves of E at each but for `Out`.
template <class E, int MTiles, int KeyTiles, class Atom, class Environment, class Numbers, class Call>
__device__ INLAY_INLINE void at_scores(const ScorePlaces<Atom, Environment, Numbers>& at, const Call& f) {
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
