// SPDX-License-Identifier: Apache-2.0
/// Leaves of a row of attention as numbers: slots and coordinates once a row, scores as vectors of keys.
#pragma once

#include <inlay/plan/attention/online/state.hpp>
#include <inlay/tile/host/row.hpp>

namespace inlay::inline INLAY_ABI::on_host {

namespace detail {

/// Nodes of a row that have one number for all keys before the first of them is read: slots, coordinates, views.
template <class N>
inline constexpr bool is_of_row = (N::kind == NodeKind::view || N::children::size == 0) &&
                                  online::dependence<N> == 0 && !inlay::detail::is_const<N>;
template <class List>
struct of_row;
template <class... N>
struct of_row<types<N...>> {
    using type = join_types<std::conditional_t<is_of_row<N>, types<N>, types<>>...>;
};

/// Nodes TwoPass of some passes, in their order.
template <class Passes>
struct known_after;
template <class... R>
struct known_after<types<R...>> {
    template <class Outputs>
    struct marked;
    template <class... E>
    struct marked<types<E...>> {
        using type = types<TwoPass<E>...>;
    };
    using type = join_types<typename marked<typename R::outputs>::type...>;
};
template <class Passes>
struct nodes_of_passes;
template <class... R>
struct nodes_of_passes<types<R...>> {
    template <class Outputs>
    struct nodes;
    template <class... E>
    struct nodes<types<E...>> {
        using type = unite_types<types<>, nodes_of<E>...>;
    };
    using type = unite_types<types<>, typename nodes<typename R::outputs>::type...>;
};

}  // namespace detail

/// Numbers of a row: `of_row` before its passes, `known` as passes end.
template <class Passes>
struct RowNumbers {
    using of_row = typename detail::of_row<typename detail::nodes_of_passes<Passes>::type>::type;
    using known = typename detail::known_after<Passes>::type;
    float row[room_for<of_row::size>], result[room_for<known::size>];

    /// Reads slots at [batch, head, query, 0].
    template <class Environment>
    void read(const Environment& env, const Extents<4>& place) {
        [[maybe_unused]] float* to = row;
        [&]<class... N>(types<N...>) {
            (evaluate_row(bind<N>(env), place, 1, to++), ...);
        }(of_row{});
    }
    template <class E>
    float operator()(TwoPass<E>) const {
        return result[inlay::detail::index_in<known, TwoPass<E>>];
    }
    template <class N>
    float operator()(N) const {
        constexpr int place = inlay::detail::index_in<of_row, N>;
        static_assert(place >= 0);
        return row[place];
    }
};

/// The same beside the scores of `host_lanes` keys from `key` on, as vectors.
template <class Numbers>
struct KeyVectors {
    const Numbers& numbers;
    fvec score;
    index_t key;

    fvec operator()(Score) const { return score; }
    fvec operator()(Coord<3>) const {
        fvec v;
        for (int i = 0; i < host_lanes; ++i) v.set(i, static_cast<float>(key + i));
        return v;
    }
    fvec operator()(Coord<-1>) const { return (*this)(Coord<3>{}); }
    template <class N>
    fvec operator()(N leaf) const {
        return fvec(numbers(leaf));
    }
};
/// Numbers of a row for all columns of V.
template <class Numbers>
struct ColumnVectors {
    const Numbers& numbers;

    template <class N>
    fvec operator()(N leaf) const {
        return fvec(numbers(leaf));
    }
};

}  // namespace inlay::inline INLAY_ABI::on_host
