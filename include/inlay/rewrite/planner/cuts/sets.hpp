// SPDX-License-Identifier: Apache-2.0
/// Sets of values and of nodes as words of bits. Operations are one statement each, and count bits by built-ins rather
/// than by `<bit>`, whose functions are many: compilers limit the statements of a constant.
#pragma once

#include <inlay/rewrite/planner/facts.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::planner {

struct Values {
    std::uint64_t a = 0, b = 0;

    static constexpr Values of(int i) {
        return i < 64 ? Values{std::uint64_t(1) << i, 0} : Values{0, std::uint64_t(1) << (i - 64)};
    }
    constexpr bool has(int i) const { return ((i < 64 ? a >> i : b >> (i - 64)) & 1) != 0; }
    constexpr bool empty() const { return (a | b) == 0; }
    constexpr bool meets(const Values& o) const { return ((a & o.a) | (b & o.b)) != 0; }
    constexpr bool within(const Values& o) const { return ((a & ~o.a) | (b & ~o.b)) == 0; }
    constexpr int count() const { return __builtin_popcountll(a) + __builtin_popcountll(b); }
    /// Of a set that is not empty.
    constexpr int least() const { return a != 0 ? __builtin_ctzll(a) : 64 + __builtin_ctzll(b); }
    constexpr int greatest() const { return b != 0 ? 127 - __builtin_clzll(b) : 63 - __builtin_clzll(a); }
    constexpr Values operator|(const Values& o) const { return {a | o.a, b | o.b}; }
    constexpr Values operator&(const Values& o) const { return {a & o.a, b & o.b}; }
    constexpr Values without(const Values& o) const { return {a & ~o.a, b & ~o.b}; }
    constexpr bool operator==(const Values& o) const { return a == o.a && b == o.b; }
    /// Without the least. Of a set that is not empty.
    constexpr Values rest() const { return a != 0 ? Values{a & (a - 1), b} : Values{0, b & (b - 1)}; }
};
static_assert(most_values == 128);

struct Nodes {
    std::uint64_t a = 0, b = 0, c = 0, d = 0;

    static constexpr Nodes of(int i) {
        const std::uint64_t one = std::uint64_t(1) << (i & 63);
        return i < 128 ? (i < 64 ? Nodes{one, 0, 0, 0} : Nodes{0, one, 0, 0})
                       : (i < 192 ? Nodes{0, 0, one, 0} : Nodes{0, 0, 0, one});
    }
    constexpr bool empty() const { return (a | b | c | d) == 0; }
    constexpr int count() const {
        return __builtin_popcountll(a) + __builtin_popcountll(b) + __builtin_popcountll(c) + __builtin_popcountll(d);
    }
    /// Of a set that is not empty.
    constexpr int least() const {
        return a != 0   ? __builtin_ctzll(a)
               : b != 0 ? 64 + __builtin_ctzll(b)
               : c != 0 ? 128 + __builtin_ctzll(c)
                        : 192 + __builtin_ctzll(d);
    }
    constexpr Nodes operator|(const Nodes& o) const { return {a | o.a, b | o.b, c | o.c, d | o.d}; }
    constexpr Nodes operator&(const Nodes& o) const { return {a & o.a, b & o.b, c & o.c, d & o.d}; }
    /// Without the least. Of a set that is not empty.
    constexpr Nodes rest() const {
        return a != 0   ? Nodes{a & (a - 1), b, c, d}
               : b != 0 ? Nodes{0, b & (b - 1), c, d}
               : c != 0 ? Nodes{0, 0, c & (c - 1), d}
                        : Nodes{0, 0, 0, d & (d - 1)};
    }
    constexpr Nodes without(const Nodes& o) const { return {a & ~o.a, b & ~o.b, c & ~o.c, d & ~o.d}; }
};
static_assert(most_nodes == 256);

}  // namespace inlay::inline INLAY_ABI::planner
