// SPDX-License-Identifier: Apache-2.0
/// From a flat index to a coordinate with multiplications instead of divisions.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Division of 0 ≤ n < 2^63 by d ≥ 1: ⌊n · ⌈2^(63+s)/d⌉ / 2^(63+s)⌋ with 2^s ≥ d is exact, since the multiplier is too
/// large by less than 1 ≤ 2^s/d, the product so by less than 2^(63+s)/d.
struct Divisor {
    std::uint64_t multiplier = std::uint64_t(1) << 63;
    int shift = 0;

    Divisor() = default;
    explicit Divisor(index_t d) {
        while ((std::uint64_t(1) << shift) < static_cast<std::uint64_t>(d)) ++shift;
        const auto by = static_cast<unsigned __int128>(d);
        multiplier = static_cast<std::uint64_t>(((static_cast<unsigned __int128>(1) << (63 + shift)) + by - 1) / by);
    }
    __device__ INLAY_INLINE index_t divide(index_t n) const {
        return static_cast<index_t>(multiply_high(static_cast<std::uint64_t>(n) << 1, multiplier) >> shift);
    }
};

/// The same for 0 ≤ n < 2^31 and d < 2^31: three instructions.
struct ShortDivisor {
    std::uint32_t multiplier = std::uint32_t(1) << 31;
    int shift = 0;

    ShortDivisor() = default;
    explicit ShortDivisor(int d) {
        while ((std::int64_t(1) << shift) < d) ++shift;
        const auto by = static_cast<std::uint64_t>(d);
        multiplier = static_cast<std::uint32_t>(((std::uint64_t(1) << (31 + shift)) + by - 1) / by);
    }
    __device__ INLAY_INLINE int divide(int n) const {
        return static_cast<int>(multiply_high(static_cast<std::uint32_t>(n) << 1, multiplier) >> shift);
    }
};

/// `unravel` for extents that every thread uses.
template <int R>
struct Unravel {
    Extents<R> extents{};
    Divisor by[R];

    Unravel() = default;
    explicit Unravel(const Extents<R>& e) : extents(e) {
        for (int i = 0; i < R; ++i) by[i] = Divisor(e[i] > 0 ? e[i] : 1);
    }
    __device__ INLAY_INLINE Extents<R> operator()(index_t i) const {
        Extents<R> c;
        INLAY_UNROLL
        for (int d = R - 1; d > 0; --d) {
            const index_t q = by[d].divide(i);
            c[d] = i - q * extents[d];
            i = q;
        }
        c[0] = i;
        return c;
    }
};
/// The coordinate of row i of a result, in all but the last axis. `lead`: its extents with a last axis of 1.
template <int R>
__device__ INLAY_INLINE Extents<R> row_coordinate(const Unravel<R>& lead, index_t i) {
    if constexpr (R > 2) return lead(i);
    Extents<R> c{};
    if constexpr (R == 2) c[0] = i;
    return c;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
