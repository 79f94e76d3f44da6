// SPDX-License-Identifier: Apache-2.0
/// A small language for tests of the e-graph: sums and products over constants and unknowns, with the value of each
/// class where all of it is constants.
#pragma once

#include <inlay/rewrite/egraph/graph.hpp>

namespace inlay_test::algebra {

using namespace inlay;
using namespace inlay::egraph;

struct Plus {
    static constexpr const char* name = "plus";
};
struct Times {
    static constexpr const char* name = "times";
};
struct Minus {
    static constexpr const char* name = "minus";
};
struct Fma {
    static constexpr const char* name = "fma";
};
template <int N>
struct Number {
    static constexpr const char* name = N == 0 ? "0" : N == 1 ? "1" : N == 2 ? "2" : "n";
};
template <int I>
struct Unknown {
    static constexpr const char* name = I == 0 ? "x" : I == 1 ? "y" : I == 2 ? "z" : "u";
};

template <class A, class B>
using plus = Term<Plus, A, B>;
template <class A, class B>
using times = Term<Times, A, B>;
template <class A>
using minus = Term<Minus, A>;
template <class A, class B, class C>
using multiply_add = Term<Fma, A, B, C>;
template <int N>
using number = Term<Number<N>>;
using x = Term<Unknown<0>>;
using y = Term<Unknown<1>>;
using z = Term<Unknown<2>>;

template <class S>
inline constexpr int value_of_symbol = 0;
template <int N>
inline constexpr int value_of_symbol<Number<N>> = N;
template <class S>
inline constexpr bool is_number = false;
template <int N>
inline constexpr bool is_number<Number<N>> = true;

/// The language of a list of symbols.
template <class Symbols>
struct Language;
template <class... S>
struct Language<types<S...>> {
    using symbols = types<S...>;
    struct Data {
        bool known = false;
        int value = 0;
        bool operator==(const Data&) const = default;
    };
    static constexpr bool numbers[sizeof...(S)] = {is_number<S>...};
    static constexpr int values[sizeof...(S)] = {value_of_symbol<S>...};
    template <class S2>
    static constexpr bool is(int symbol) {
        return symbol == inlay::detail::index_in<symbols, S2>;
    }

    template <class G>
    static constexpr Data make(const G& graph, const Node& node) {
        if (node.arity == 0) return {numbers[node.symbol], values[node.symbol]};
        Data child[max_arity];
        bool known = true;
        for (int i = 0; i < node.arity; ++i) child[i] = graph.data(node.child[i]), known = known && child[i].known;
        if (!known) return {};
        const int a = child[0].value, b = child[1].value;
        if (is<Plus>(node.symbol)) return {true, a + b};
        if (is<Times>(node.symbol)) return {true, a * b};
        if (is<Minus>(node.symbol)) return {true, -a};
        return {true, a * b + child[2].value};
    }
    static constexpr bool join(Data& into, const Data& from) {
        if (!into.known) into = from;
        return !from.known || into.value == from.value;
    }
};

}  // namespace inlay_test::algebra
