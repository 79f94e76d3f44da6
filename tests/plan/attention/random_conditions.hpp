// SPDX-License-Identifier: Apache-2.0
/// Random conditions on scores, each as an expression and as a function on integers, which share nothing.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/ternary.hpp>
#include <inlay/expr/unary.hpp>

#include <cstdint>
#include <cstdlib>

namespace inlay_test {

using namespace inlay;

/// A score and the contents of the slots: a scalar, and numbers by query, by key and by both.
struct PlainScore {
    long i, j, head, query;     ///< i: counted from the end of the keys
    long scalar;
    const int *any_of_query, *ids_of_query, *ids_of_key, *any_of_both;
    long keys;
};

constexpr std::uint32_t mixed(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
/// Random number `Which` of a seed, 0 to below − 1.
template <std::uint32_t Seed, std::uint32_t Which>
constexpr int pick(int below) {
    return static_cast<int>(mixed(Seed * 31 + Which * 977 + 5) % static_cast<std::uint32_t>(below));
}
constexpr long floored(long a, long b) {
    long q = a / b;
    while (q * b > a) --q;
    return q;
}

template <int Kind, class A, class B>
constexpr auto compared_type() {
    if constexpr (Kind == 0) return A{} < B{};
    else if constexpr (Kind == 1) return A{} <= B{};
    else if constexpr (Kind == 2) return A{} > B{};
    else if constexpr (Kind == 3) return A{} >= B{};
    else if constexpr (Kind == 4) return A{} == B{};
    else return A{} != B{};
}
inline bool compared_numbers(int kind, long a, long b) {
    const bool results[] = {a < b, a <= b, a > b, a >= b, a == b, a != b};
    return results[kind];
}

/// A comparison. The kinds that are not solved are `RandomComparison::computed`.
template <std::uint32_t S>
struct RandomComparison {
    static constexpr int kind = pick<S, 0>(14), relation = pick<S, 1>(6);
    static constexpr int a = pick<S, 2>(7) - 3, b = pick<S, 3>(7) - 3, c = pick<S, 4>(41) - 20;
    static constexpr int m = pick<S, 5>(6) + 1, e = pick<S, 6>(9) - 4, f = pick<S, 7>(5) - 2;
    static constexpr bool computed = kind == 7 || kind == 10;

    static constexpr auto i = query_position;
    static constexpr auto j = coord<3>;
    static constexpr auto linear = constant<a> * i + j * constant<b> + constant<c>;
    static constexpr auto expression() {
        constexpr auto is = [](auto x, auto y) { return compared_type<relation, decltype(x), decltype(y)>(); };
        if constexpr (kind == 0) return is(linear, constant<e>);
        else if constexpr (kind == 1) return is(linear / constant<m>, constant<e>);
        else if constexpr (kind == 2) return is(floor(linear / constant<m>), floor(i / constant<3>) - constant<e>);
        else if constexpr (kind == 3) return is(abs(i - j + constant<e>), constant<m>);
        else if constexpr (kind == 4) return is(-(i - constant<2> * j), param<0>);
        else if constexpr (kind == 5) return is(buf<0>, j);
        else if constexpr (kind == 6) return is(buf<1>, ascending(buf<2>));
        else if constexpr (kind == 7) return is(j - constant<m> * floor(j / constant<m>), constant<1>);
        else if constexpr (kind == 8) return is(i - constant<m> * floor(i / constant<m>), constant<1>);
        else if constexpr (kind == 9) return is(coord<1>, constant<1>) && j <= coord<2>;
        else if constexpr (kind == 10) return is(buf<3>, constant<0>);
        else if constexpr (kind == 11) return is(constant<f> * ceil(linear / constant<m>) + i, constant<c>);
        else if constexpr (kind == 12) return is(i + constant<e>, floor(linear / constant<-m>) * constant<f>);
        else return is(min(i, constant<a> * j), max(constant<c>, j - constant<m>));
    }
    static bool at(const PlainScore& s) {
        const long value = a * s.i + b * s.j + c;
        const auto is = [](long x, long y) { return compared_numbers(relation, x, y); };
        switch (kind) {
            case 0: return is(value, e);
            case 1: return is(value, e * m);
            case 2: return is(floored(value, m), floored(s.i, 3) - e);
            case 3: return is(std::labs(s.i - s.j + e), m);
            case 4: return is(2 * s.j - s.i, s.scalar);
            case 5: return is(s.any_of_query[s.query], s.j);
            case 6: return is(s.ids_of_query[s.query], s.ids_of_key[s.j]);
            case 7: return is(s.j - m * floored(s.j, m), 1);
            case 8: return is(s.i - m * floored(s.i, m), 1);
            case 9: return is(s.head, 1) && s.j <= s.query;
            case 10: return is(s.any_of_both[s.query * s.keys + s.j], 0);
            case 11: return is(s.i - f * floored(-value, m), c);
            case 12: return is(s.i + e, f * floored(-value, m));
            default: return is(s.i < a * s.j ? s.i : a * s.j, c > s.j - m ? c : s.j - m);
        }
    }
};

/// A tree of comparisons below &&, ||, !, where.
template <std::uint32_t S, int Depth>
struct RandomCondition {
    static constexpr int kind = pick<S, 9>(8);
    using A = RandomCondition<mixed(S * 2 + 1), Depth - 1>;
    using B = RandomCondition<mixed(S * 2 + 2), Depth - 1>;
    static constexpr bool computed = A::computed || (kind < 7 && B::computed);
    static constexpr auto expression() {
        if constexpr (kind < 3) return A::expression() && B::expression();
        else if constexpr (kind < 6) return A::expression() || B::expression();
        else if constexpr (kind == 6) return where(A::expression(), B::expression(), !B::expression());
        else return !A::expression();
    }
    static bool at(const PlainScore& s) {
        const bool a = A::at(s), b = B::at(s);
        return kind < 3 ? a && b : kind < 6 ? a || b : kind == 6 ? a == b : !a;
    }
};
template <std::uint32_t S>
struct RandomCondition<S, 0> : RandomComparison<S> {};

}  // namespace inlay_test
