// SPDX-License-Identifier: Apache-2.0
/// The inner product of the host executor: a few rows of A times one packed panel of B, accumulators in registers. It
/// is the matrix atom of this target: lane l of vector v of row r is C[r][v · host_lanes + l].
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>
#include <inlay/tile/host/isa.hpp>

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

inline constexpr index_t line_bytes = 64;

/// `ahead`: memory that is read next, of which each step prefetches a cache line. Spread over the products, prefetches
/// never fill the queue in which the loads wait.
template <int Vectors, class T, int... R>
INLAY_INLINE void micro_tile(std::integer_sequence<int, R...>, const T* const* a, const T* b, index_t steps,
                             float* c, index_t ldc, bool accumulate, const char* ahead) {
    constexpr std::size_t rows = sizeof...(R);
    constexpr index_t lanes = host_lanes * (4 / sizeof(T));  // elements in a vector
    using F = isa::Factors<T>;
    const T* p[rows] = {a[R]...};
    fvec s0[rows] = {((void)R, fvec(0.f))...}, s1[rows] = {((void)R, fvec(0.f))...};
    if (accumulate) ((__builtin_prefetch(c + R * ldc, 1), __builtin_prefetch(c + R * ldc + host_lanes, 1)), ...);
    for (index_t i = 0; i < steps; ++i, b += 2 * lanes, ahead += line_bytes) {
        __builtin_prefetch(ahead, 0, 2);
        const auto b0 = F::load(b);
        if constexpr (Vectors == 2) {
            const auto b1 = F::load(b + lanes);
            const auto row = [&](const T* q, fvec& t0, fvec& t1) __attribute__((always_inline)) {
                const auto x = F::broadcast(q, i);
                F::add_products(t0, x, b0);
                F::add_products(t1, x, b1);
            };
            (row(p[R], s0[R], s1[R]), ...);
        } else {
            (F::add_products(s0[R], F::broadcast(p[R], i), b0), ...);
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

template <class T>
using MicroTile = void(const T* const*, const T*, index_t, float*, index_t, bool, const char*);

template <class T, int Rows, int Vectors>
void micro_tile(const T* const* a, const T* b, index_t steps, float* c, index_t ldc, bool accumulate,
                const char* ahead) {
    micro_tile<Vectors>(std::make_integer_sequence<int, Rows>{}, a, b, steps, c, ldc, accumulate, ahead);
}

template <class T, int... R>
constexpr std::array<MicroTile<T>*, 2 * sizeof...(R)> micro_tiles(std::integer_sequence<int, R...>) {
    return {micro_tile<T, R + 1, 1>..., micro_tile<T, R + 1, 2>...};
}
}  // namespace detail

/// C[m, n] (+)= Σ_k A[m, k] · B[k, n] for m rows given by their addresses and one panel B of [k][host_panel], of which
/// the first n columns are used: C's rows are written up to the next whole vector. The order of the sum over k is fixed
/// and the same for every m and n. T: float, or bf16, whose k is even and whose panel is [k / 2][host_panel][2].
/// `next`, `next_bytes`: memory that is read afterwards, to be prefetched.
template <class T>
void multiply_panel(const T* const* a, index_t m, const T* b, index_t n, index_t k, float* c, index_t ldc,
                    bool accumulate, const void* next = nullptr, index_t next_bytes = 0) {
    static constexpr auto tiles = detail::micro_tiles<T>(std::make_integer_sequence<int, host_tile_rows>{});
    const index_t count = (m + host_tile_rows - 1) / host_tile_rows, steps = k / index_t(4 / sizeof(T));
    // In the cache already: what tiles prefetch where nothing comes next.
    const char* const panel = reinterpret_cast<const char*>(b);
    for (index_t t = 0, row = 0, fetched = 0; t < count; ++t, fetched += steps * detail::line_bytes) {
        const index_t rows = (m - row) / (count - t);  // tiles of equal size: 16 rows are 8 + 8, not 14 + 2
        tiles[static_cast<std::size_t>((n > host_lanes ? host_tile_rows : 0) + rows - 1)](
            a + row, b, steps, c + row * ldc, ldc, accumulate,
            fetched < next_bytes ? static_cast<const char*>(next) + fetched : panel);
        row += rows;
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
