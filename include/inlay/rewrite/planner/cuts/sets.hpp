// SPDX-License-Identifier: Apache-2.0
/// Sets of values and of nodes as words of bits. Operations are one statement each: compilers limit the statements of a
/// constant.
#pragma once

#include <inlay/rewrite/planner/facts.hpp>

#include <bit>
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
    constexpr int count() const { return std::popcount(a) + std::popcount(b); }
    /// Of a set that is not empty.
    constexpr int least() const { return a != 0 ? std::countr_zero(a) : 64 + std::countr_zero(b); }
    constexpr int greatest() const { return b != 0 ? 127 - std::countl_zero(b) : 63 - std::countl_zero(a); }
    constexpr Values operator|(const Values& o) const { return {a | o.a, b | o.b}; }
    constexpr Values operator&(const Values& o) const { return {a & o.a, b & o.b}; }
    constexpr Values without(const Values& o) const { return {a & ~o.a, b & ~o.b}; }
    constexpr bool operator==(const Values& o) const { return a == o.a && b == o.b; }
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
        return std::popcount(a) + std::popcount(b) + std::popcount(c) + std::popcount(d);
    }
    /// Of a set that is not empty.
    constexpr int least() const {
        return a != 0   ? std::countr_zero(a)
               : b != 0 ? 64 + std::countr_zero(b)
               : c != 0 ? 128 + std::countr_zero(c)
                        : 192 + std::countr_zero(d);
    }
    constexpr Nodes operator|(const Nodes& o) const { return {a | o.a, b | o.b, c | o.c, d | o.d}; }
    constexpr Nodes operator&(const Nodes& o) const { return {a & o.a, b & o.b, c & o.c, d & o.d}; }
    constexpr Nodes without(const Nodes& o) const { return {a & ~o.a, b & ~o.b, c & ~o.c, d & ~o.d}; }
};
static_assert(most_nodes == 256);

}  // namespace inlay::inline INLAY_ABI::planner
