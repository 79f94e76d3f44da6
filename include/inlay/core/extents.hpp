// SPDX-License-Identifier: Apache-2.0
/// Extents, coordinates and strides of a static rank and run-time sizes.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/core/text.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

using index_t = std::int64_t;

/// R numbers: the extents of a tensor, its strides in elements, or a coordinate. Rank 0 holds nothing.
template <int R>
struct Extents {
    static constexpr int rank = R;
    index_t v[room_for<R>] = {};

    INLAY_FN constexpr index_t& operator[](int i) { return v[i]; }
    INLAY_FN constexpr const index_t& operator[](int i) const { return v[i]; }
    /// The i-th axis counted from the last: `back(0)` is the last.
    INLAY_FN constexpr index_t back(int i) const { return v[R - 1 - i]; }
    INLAY_FN constexpr index_t& back(int i) { return v[R - 1 - i]; }

    INLAY_FN constexpr bool operator==(const Extents& o) const {
        for (int i = 0; i < R; ++i)
            if (v[i] != o.v[i]) return false;
        return true;
    }
};

template <class... I>
INLAY_FN Extents(I...) -> Extents<static_cast<int>(sizeof...(I))>;

template <int R>
using Coordinate = Extents<R>;

/// Bytes that a tensor spans at most, and elements that an expression has: more than any address space, and so few that
/// sizes of workspace and packed weights, a few hundred times that at worst, do not overflow. `prepare` refuses more.
inline constexpr index_t most_elements = index_t(1) << 54;

/// Stands for an extent or a number of elements that does not fit. The functions below return it and keep it.
inline constexpr index_t too_many = INT64_MAX;

/// a · b, of numbers that are not negative.
INLAY_FN constexpr index_t checked_product(index_t a, index_t b) {
    return a <= 0 || b <= 0 ? 0 : a > too_many / b ? too_many : a * b;
}
/// a + b, of numbers that are not negative.
INLAY_FN constexpr index_t checked_sum(index_t a, index_t b) {
    return a > too_many - b ? too_many : a + b;
}

/// The product of the extents other than 0, which no product of some of them exceeds.
template <int R>
INLAY_FN constexpr index_t checked_count(const Extents<R>& e) {
    index_t n = 1;
    for (int i = 0; i < R; ++i)
        if (e[i] != 0) n = checked_product(n, e[i]);
    return n;
}

/// Number of elements. `checked_count` is at most `most_elements`.
template <int R>
INLAY_FN constexpr index_t count(const Extents<R>& e) {
    index_t n = 1;
    for (int i = 0; i < R; ++i) n *= e[i];
    return n;
}
template <int R>
INLAY_FN constexpr bool has_elements(const Extents<R>& e) {
    for (int i = 0; i < R; ++i)
        if (e[i] == 0) return false;
    return true;
}

/// Strides of a dense row-major layout.
template <int R>
INLAY_FN constexpr Extents<R> row_major(const Extents<R>& e) {
    Extents<R> s{};
    index_t n = 1;
    for (int i = R - 1; i >= 0; --i) {
        s[i] = n;
        n = checked_product(n, e[i]);
    }
    return s;
}

/// The coordinate of element `i` in row-major order, 0 ≤ i < the product of the extents. An `i` of 32 bits is divided
/// in 32 bits, which the extents then fit.
template <class I, int R>
INLAY_FN constexpr Extents<R> unravel(I i, const Extents<R>& e) {
    Extents<R> c{};
    for (int d = R - 1; d > 0; --d) {
        if (e[d] <= 1) continue;
        // A 64-bit division takes a device many times the instructions of a 32-bit one.
        if (sizeof(I) == 4 || ((i | e[d]) >> 32) == 0) {
            const auto x = static_cast<std::uint32_t>(i), n = static_cast<std::uint32_t>(e[d]);
            c[d] = x % n;
            i = static_cast<I>(x / n);
        } else {
            c[d] = i % e[d];
            i = static_cast<I>(i / e[d]);
        }
    }
    if constexpr (R > 0) c[0] = i;
    return c;
}

/// "[2, 64, 64, 320]"
constexpr Text text(const index_t* e, int rank) {
    Text s = "[";
    for (int i = 0; i < rank; ++i) {
        if (i) s += ", ";
        s += decimal_text(e[i]);
    }
    s += "]";
    return s;
}
template <int R>
constexpr Text text(const Extents<R>& e) {
    return text(e.v, R);
}

}  // namespace inlay::inline INLAY_ABI
