// SPDX-License-Identifier: Apache-2.0
/// Sets of small numbers. Each operation is one expression over all words: compilers count statements of constants.
#pragma once

#include <inlay/core/order.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace inlay::inline INLAY_ABI::egraph {

/// A set of numbers from 0 to N − 1.
template <int N>
class Bits {
    static constexpr int words = (N + 63) / 64;
    using each = std::make_integer_sequence<int, words>;

public:
    constexpr Bits() = default;
    /// All numbers below n.
    static constexpr Bits below(int n) { return below(n, each{}); }
    static constexpr Bits only(int i) {
        Bits b;
        b.insert(i);
        return b;
    }

    constexpr bool contains(int i) const { return (word_[i >> 6] >> (i & 63) & 1) != 0; }
    constexpr void insert(int i) { word_[i >> 6] |= std::uint64_t{1} << (i & 63); }
    constexpr void erase(int i) { word_[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
    constexpr bool empty() const { return last() < 0; }
    /// The greatest number, −1 of an empty set.
    constexpr int last() const { return last(each{}); }

    friend constexpr Bits operator|(const Bits& a, const Bits& b) { return union_of(a, b, each{}); }
    friend constexpr Bits operator&(const Bits& a, const Bits& b) { return intersection_of(a, b, each{}); }
    /// The numbers of a that are not in b.
    friend constexpr Bits operator-(const Bits& a, const Bits& b) { return difference_of(a, b, each{}); }
    constexpr bool operator==(const Bits&) const = default;

private:
    template <class... W>
    explicit constexpr Bits(std::uint64_t first, W... more) : word_{first, more...} {}

    template <int... I>
    static constexpr Bits below(int n, std::integer_sequence<int, I...>) {
        constexpr std::uint64_t full = ~std::uint64_t{0};
        return Bits((n >= 64 * I + 64 ? full : n > 64 * I ? full >> (64 * I + 64 - n) : 0)...);
    }
    template <int... I>
    static constexpr Bits union_of(const Bits& a, const Bits& b, std::integer_sequence<int, I...>) {
        return Bits((a.word_[I] | b.word_[I])...);
    }
    template <int... I>
    static constexpr Bits intersection_of(const Bits& a, const Bits& b, std::integer_sequence<int, I...>) {
        return Bits((a.word_[I] & b.word_[I])...);
    }
    template <int... I>
    static constexpr Bits difference_of(const Bits& a, const Bits& b, std::integer_sequence<int, I...>) {
        return Bits((a.word_[I] & ~b.word_[I])...);
    }
    template <int... I>
    constexpr int last(std::integer_sequence<int, I...>) const {
        int found = -1;
        ((found = word_[I] != 0 ? 64 * I + 63 - std::countl_zero(word_[I]) : found), ...);
        return found;
    }

    std::uint64_t word_[room_for<words>] = {};
};

}  // namespace inlay::inline INLAY_ABI::egraph
