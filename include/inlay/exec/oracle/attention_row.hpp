// SPDX-License-Identifier: Apache-2.0
/// A row of attention straight from its expression, in double. A node is a table of numbers, [visible keys or
/// 1][columns of V or 1]; a reduction is a loop over the keys. Nothing is derived, streamed or rescaled.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/expr/keys.hpp>
#include <inlay/expr/reference.hpp>

#include <limits>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::in_double {

/// Numbers of each key and each column; an extent of 1 stands for all of them.
struct KeyTable {
    index_t keys = 1, columns = 1;
    std::vector<double> x;

    KeyTable(index_t k, index_t c) : keys(k), columns(c), x(static_cast<std::size_t>(k * c)) {}
    double& at(index_t key, index_t column) {
        return x[static_cast<std::size_t>((keys == 1 ? 0 : key) * columns + (columns == 1 ? 0 : column))];
    }
    double at(index_t key, index_t column) const { return const_cast<KeyTable*>(this)->at(key, column); }
};

/// The row at `place`, [batch, head, query, 0], of the keys that it sees. `scores` and `values` have a row for each.
template <class Environment>
struct AttentionRow {
    const Environment& env;
    Extents<4> place;
    const std::vector<index_t>& visible;
    const KeyTable &scores, &values;

    template <class E>
    KeyTable value() const {
        return of(E{}, typename E::children{});
    }

private:
    index_t keys() const { return static_cast<index_t>(visible.size()); }

    KeyTable of(Score, types<>) const { return scores; }
    KeyTable of(Values, types<>) const { return values; }
    template <class E>
    KeyTable of(KeySum<E>, types<E>) const {
        return reduced(value<E>(), 0, [](double sum, double x) { return sum + x; });
    }
    template <class E>
    KeyTable of(KeyMax<E>, types<E>) const {
        return reduced(value<E>(), -std::numeric_limits<double>::infinity(),
                       [](double most, double x) { return (math::max)(most, x); });
    }
    template <class E>
    KeyTable of(TwoPass<E>, types<E>) const {
        return value<E>();
    }
    template <class E, class... C>
    KeyTable of(E, types<C...>) const {
        if constexpr (std::is_same_v<E, Coord<3>> || std::is_same_v<E, Coord<-1>>) {
            KeyTable r(keys(), 1);
            for (index_t k = 0; k < keys(); ++k) r.at(k, 0) = static_cast<double>(visible[static_cast<std::size_t>(k)]);
            return r;
        } else if constexpr (E::kind == NodeKind::pointwise && sizeof...(C) > 0) {
            return applied<E>(std::make_index_sequence<sizeof...(C)>{}, value<C>()...);
        } else {
            KeyTable r(1, 1);
            r.at(0, 0) = reference<E>(env, place);
            return r;
        }
    }

    template <class F>
    KeyTable reduced(const KeyTable& x, double first, const F& add) const {
        KeyTable r(1, x.columns);
        for (index_t c = 0; c < x.columns; ++c) {
            double all = first;
            for (index_t k = 0; k < keys(); ++k) all = add(all, x.at(k, c));
            r.at(0, c) = all;
        }
        return r;
    }
    template <class E, std::size_t... I, class... Table>
    static KeyTable applied(std::index_sequence<I...>, const Table&... operand) {
        const auto extent = [](index_t all, index_t one) { return all == 1 ? one : all; };
        KeyTable r(1, 1);
        index_t k = 1, c = 1;
        ((k = extent(k, operand.keys), c = extent(c, operand.columns)), ...);
        r = KeyTable(k, c);
        for (index_t key = 0; key < k; ++key)
            for (index_t column = 0; column < c; ++column) r.at(key, column) = E::apply(operand.at(key, column)...);
        return r;
    }
};

}  // namespace inlay::inline INLAY_ABI::in_double
