// SPDX-License-Identifier: Apache-2.0
/// Expressions of a row of attention by their definition: a reduction is a loop over all keys, whatever stands in it.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/keys.hpp>
#include <inlay/expr/unary.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace inlay_test {

using namespace inlay;

/// Three keys with rows of V of one column, two pairs of scores, and the values of Buf<0> and Param<0>.
struct PlainRow {
    std::vector<double> score{0.75, -1.5, 2.25}, second{-0.5, 1.25, 0.25}, values{3.0, -0.625, 1.5};
    double slot = 0.375, param = 1.25;

    /// E at a key; at none, -1, where it reads none outside of reductions.
    template <class E>
    double value(int key = -1) const {
        return value_of(static_cast<E*>(nullptr), typename E::children{}, key);
    }

private:
    template <class E, class... C>
    double value_of(E*, types<C...>, int key) const {
        return E::apply(value<C>(key)...);
    }
    template <class E>
    double value_of(KeySum<E>*, types<E>, int) const {
        double sum = 0;
        for (int k = 0; k < keys(); ++k) sum += value<E>(k);
        return sum;
    }
    template <class E>
    double value_of(KeyMax<E>*, types<E>, int) const {
        double most = -std::numeric_limits<double>::infinity();
        for (int k = 0; k < keys(); ++k) most = std::max(most, value<E>(k));
        return most;
    }
    template <class E>
    double value_of(TwoPass<E>*, types<E>, int) const {
        return value<E>();
    }
    template <inlay::detail::Real X>
    double value_of(node::Const<X>*, types<>, int) const {
        return node::Const<X>::value;
    }
    double value_of(Score*, types<>, int key) const { return score.at(static_cast<std::size_t>(key)); }
    double value_of(SecondScore*, types<>, int key) const { return second.at(static_cast<std::size_t>(key)); }
    double value_of(Values*, types<>, int key) const { return values.at(static_cast<std::size_t>(key)); }
    double value_of(Buf<0>*, types<>, int) const { return slot; }
    double value_of(Param<0>*, types<>, int) const { return param; }
    int keys() const { return static_cast<int>(score.size()); }
};

}  // namespace inlay_test
