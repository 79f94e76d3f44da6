// SPDX-License-Identifier: Apache-2.0
/// The inner product of the host executor: a few rows of A times one packed panel of B, accumulators in registers. It
/// is the matrix atom of this target: lane l of vector v of row r is C[r][v · host_lanes + l].
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>

#include <array>
#include <utility>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

/// Columns of one packed panel: two vectors.
inline constexpr int host_panel = 2 * host_lanes;

/// Rows of one tile: with two vectors each they fill the registers but those for B, and for A broadcast.
/// AVX-512 has 32 registers; AVX 16; SSE needs one more for the product.
inline constexpr int host_tile_rows = host_lanes == 16 ? 14 : host_lanes == 8 ? 6 : 4;

namespace detail {

template <int Vectors, int... R>
INLAY_INLINE void micro_tile(std::integer_sequence<int, R...>, const float* const* a, const float* b, index_t k,
                             float* c, index_t ldc, bool accumulate) {
    constexpr std::size_t rows = sizeof...(R);
    const float* p[rows] = {a[R]...};
    fvec s0[rows] = {((void)R, fvec(0.f))...}, s1[rows] = {((void)R, fvec(0.f))...};
    for (index_t i = 0; i < k; ++i, b += host_panel) {
        const fvec b0 = fvec::load(b);
        if constexpr (Vectors == 2) {
            const fvec b1 = fvec::load(b + host_lanes);
            const auto row = [&](const float* q, fvec& t0, fvec& t1) __attribute__((always_inline)) {
                const fvec x = q[i];
                t0.v += x.v * b0.v;
                t1.v += x.v * b1.v;
            };
            (row(p[R], s0[R], s1[R]), ...);
        } else {
            ((s0[R].v += fvec(p[R][i]).v * b0.v), ...);
        }
    }
    const auto out = [&](int r, fvec t0, fvec t1) __attribute__((always_inline)) {
        float* q = c + r * ldc;
        if (accumulate) t0 = fvec::load(q) + t0;
        t0.store(q);
        if constexpr (Vectors == 2) {
            if (accumulate) t1 = fvec::load(q + host_lanes) + t1;
            t1.store(q + host_lanes);
        }
    };
    (out(R, s0[R], s1[R]), ...);
}

using MicroTile = void(const float* const*, const float*, index_t, float*, index_t, bool);

template <int Rows, int Vectors>
void micro_tile(const float* const* a, const float* b, index_t k, float* c, index_t ldc, bool accumulate) {
    micro_tile<Vectors>(std::make_integer_sequence<int, Rows>{}, a, b, k, c, ldc, accumulate);
}

template <int... R>
constexpr std::array<MicroTile*, 2 * sizeof...(R)> micro_tiles(std::integer_sequence<int, R...>) {
    return {micro_tile<R + 1, 1>..., micro_tile<R + 1, 2>...};
}
}  // namespace detail

/// C[m, n] (+)= Σ_k A[m, k] · B[k, n] for m rows given by their addresses and one panel B of [k][host_panel], of which
/// the first n columns are used: C's rows are written up to the next whole vector. The order of the sum over k is fixed
/// and the same for every m and n.
inline void multiply_panel(const float* const* a, index_t m, const float* b, index_t n, index_t k, float* c,
                           index_t ldc, bool accumulate) {
    static constexpr auto tiles = detail::micro_tiles(std::make_integer_sequence<int, host_tile_rows>{});
    const index_t count = (m + host_tile_rows - 1) / host_tile_rows;
    for (index_t t = 0, row = 0; t < count; ++t) {
        const index_t rows = (m - row) / (count - t);  // tiles of equal size: 16 rows are 8 + 8, not 14 + 2
        tiles[static_cast<std::size_t>((n > host_lanes ? host_tile_rows : 0) + rows - 1)](a + row, b, k, c + row * ldc,
                                                                                        ldc, accumulate);
        row += rows;
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
