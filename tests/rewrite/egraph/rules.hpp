// SPDX-License-Identifier: Apache-2.0
/// Rules of the tests' algebra.
#pragma once

#include "algebra.hpp"

#include <inlay/rewrite/egraph/rule.hpp>

namespace inlay_test::algebra {

using a = Var<0>;
using b = Var<1>;
using c = Var<2>;

#define INLAY_TEST_RULE(type, FROM, TO)                     \
    struct type {                                           \
        using from = INLAY_TEST_TYPE FROM;                  \
        using to = INLAY_TEST_TYPE TO;                      \
        static constexpr const char* name = #type;          \
        static constexpr bool rounds = false;               \
    }
#define INLAY_TEST_TYPE(...) __VA_ARGS__
INLAY_TEST_RULE(PlusCommutes, (plus<a, b>), (plus<b, a>));
INLAY_TEST_RULE(TimesCommutes, (times<a, b>), (times<b, a>));
INLAY_TEST_RULE(PlusAssociates, (plus<plus<a, b>, c>), (plus<a, plus<b, c>>));
INLAY_TEST_RULE(TimesOne, (times<a, number<1>>), (a));
INLAY_TEST_RULE(PlusZero, (plus<a, number<0>>), (a));
INLAY_TEST_RULE(TimesZero, (times<a, number<0>>), (number<0>));
INLAY_TEST_RULE(MinusMinus, (minus<minus<a>>), (a));
INLAY_TEST_RULE(MinusPlus, (minus<plus<a, b>>), (plus<minus<a>, minus<b>>));
INLAY_TEST_RULE(MinusTimes, (times<minus<a>, b>), (minus<times<a, b>>));
INLAY_TEST_RULE(Fused, (plus<times<a, b>, c>), (multiply_add<a, b, c>));
INLAY_TEST_RULE(Doubled, (plus<a, a>), (times<a, number<2>>));
INLAY_TEST_RULE(Factored, (plus<times<a, b>, times<a, c>>), (times<a, plus<b, c>>));
INLAY_TEST_RULE(Distributed, (times<a, plus<b, c>>), (plus<times<a, b>, times<a, c>>));
#undef INLAY_TEST_TYPE
#undef INLAY_TEST_RULE

/// Sums and products.
struct Commutative {
    template <class S>
    static constexpr bool is = false;
};
template <>
inline constexpr bool Commutative::is<Plus> = true;
template <>
inline constexpr bool Commutative::is<Times> = true;

struct Commutes {
    using from = Term<AnySymbol<0, Commutative>, a, b>;
    using to = Term<AnySymbol<0, Commutative>, b, a>;
    static constexpr const char* name = "commutes";
    static constexpr bool rounds = false;
};

/// a · b = b · a where b is a number: they stand first.
struct NumbersFirst {
    using from = times<a, b>;
    using to = times<b, a>;
    static constexpr const char* name = "numbers first";
    static constexpr bool rounds = false;
    template <class G>
    static constexpr bool holds(const G& graph, const Match& match) {
        return graph.data(match.var[1]).known && !graph.data(match.var[0]).known;
    }
};

/// Without end, so a limit ends it.
struct Grows {
    using from = plus<a, b>;
    using to = plus<plus<a, b>, minus<plus<b, a>>>;
    static constexpr const char* name = "grows";
    static constexpr bool rounds = false;
};

/// Wrong: 1 · 0 is not 1.
struct Wrong {
    using from = times<a, number<0>>;
    using to = a;
    static constexpr const char* name = "wrong";
    static constexpr bool rounds = false;
};

/// Any two products with the same first factor.
struct PairsOfProducts {
    using from = plus<times<a, b>, times<a, c>>;
    using to = plus<a, a>;
    static constexpr const char* name = "pairs";
    static constexpr bool rounds = false;
};

}  // namespace inlay_test::algebra
