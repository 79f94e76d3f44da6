// SPDX-License-Identifier: Apache-2.0
/// Minimal filtering of 2×2 outputs in vectors (Winograd 1980; Lavin and Gray 2015): the transforms of weights and of
/// sums, and along one axis those of pixels. y = Aᵀ((G w) ⊙ (Bᵀ d)) is y[i] = Σ_r d[i + r] w[r], by `points` products.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>
#include <inlay/tile/host/micro.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host::detail {

/// f(0), …, f(N − 1) of constants, so that arrays of vectors become registers at any level of optimisation.
template <int N, class F>
INLAY_INLINE void unrolled(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        (f(std::integral_constant<int, I>{}), ...);
    }(std::make_integer_sequence<int, N>{});
}

/// Along one axis, two outputs under so many taps.
template <int Taps>
struct Filtering;

/// The points 0, 1, −1 and ∞.
template <>
struct Filtering<3> {
    static constexpr int points = 4;
    static constexpr std::size_t room = 4, taps = 3;  ///< of arrays of points and of taps
    INLAY_INLINE static void pixels(const fvec (&d)[4], fvec (&v)[4]) {
        v[0] = d[0] - d[2], v[1] = d[1] + d[2], v[2] = d[2] - d[1], v[3] = d[1] - d[3];
    }
    INLAY_INLINE static void weights(const fvec (&w)[3], fvec (&u)[4]) {
        const fvec outer = (w[0] + w[2]) * fvec(0.5f), inner = w[1] * fvec(0.5f);
        u[0] = w[0], u[1] = outer + inner, u[2] = outer - inner, u[3] = w[2];
    }
    INLAY_INLINE static void outputs(const fvec (&m)[4], fvec (&y)[2]) {
        y[0] = m[0] + (m[1] + m[2]), y[1] = (m[1] - m[2]) - m[3];
    }
};
/// The points 0, 1 and ∞.
template <>
struct Filtering<2> {
    static constexpr int points = 3;
    static constexpr std::size_t room = 3, taps = 2;
    INLAY_INLINE static void pixels(const fvec (&d)[3], fvec (&v)[3]) {
        v[0] = d[0] - d[1], v[1] = d[1], v[2] = d[2] - d[1];
    }
    INLAY_INLINE static void weights(const fvec (&w)[2], fvec (&u)[3]) {
        u[0] = w[0], u[1] = w[0] + w[1], u[2] = w[1];
    }
    INLAY_INLINE static void outputs(const fvec (&m)[3], fvec (&y)[2]) {
        y[0] = m[0] + m[1], y[1] = m[1] + m[2];
    }
};

/// Transforms kn rows of a panel; `tap_stride` elements lead from tap to tap.
template <int Taps>
void transform_weights(const float* panel, index_t tap_stride, index_t kn, float* to, index_t point_stride) {
    using F = Filtering<Taps>;
    constexpr int points = F::points;
    for (index_t l = 0; l < kn * host_panel; l += host_lanes) {
        fvec half[F::taps][F::room];
        unrolled<Taps>([&](auto r) __attribute__((always_inline)) {
            fvec w[F::taps];
            unrolled<Taps>([&](auto s) __attribute__((always_inline)) {
                w[s] = fvec::load(panel + (r * Taps + s) * tap_stride + l);
            });
            F::weights(w, half[r]);
        });
        unrolled<points>([&](auto j) __attribute__((always_inline)) {
            fvec w[F::taps], u[F::room];
            unrolled<Taps>([&](auto r) __attribute__((always_inline)) { w[r] = half[r][j]; });
            F::weights(w, u);
            unrolled<points>([&](auto i) __attribute__((always_inline)) {
                u[i].store(to + (i * points + j) * point_stride + l);
            });
        });
    }
}

/// The four outputs of each of some tiles, at n columns of a panel: `to` is the first tile's first output.
template <int Taps>
void transform_sums(const float* sums, index_t sum_stride, index_t tiles, index_t n, float* to, index_t columns) {
    using F = Filtering<Taps>;
    constexpr int points = F::points;
    for (index_t t = 0; t < tiles; ++t, sums += host_panel, to += 4 * columns)
        for (index_t l = 0; l < n; l += host_lanes) {
            fvec half[2][F::room];
            unrolled<points>([&](auto j) __attribute__((always_inline)) {
                fvec m[F::room], y[2];
                unrolled<points>([&](auto i) __attribute__((always_inline)) {
                    m[i] = fvec::load(sums + (i * points + j) * sum_stride + l);
                });
                F::outputs(m, y);
                half[0][j] = y[0], half[1][j] = y[1];
            });
            unrolled<2>([&](auto i) __attribute__((always_inline)) {
                fvec y[2];
                F::outputs(half[i], y);
                y[0].store(to + 2 * i * columns + l);
                y[1].store(to + (2 * i + 1) * columns + l);
            });
        }
}

}  // namespace inlay::inline INLAY_ABI::on_host::detail

INLAY_ORDERED_END
