// SPDX-License-Identifier: Apache-2.0
/// Reductions over a row of floats: sum, maximum, mean and variance. Each is evaluated in one fixed order.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>
#include <inlay/tile/host/convert.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

namespace detail {

/// Elements summed in fp32 before the sum moves to a double: at most 64 terms to a lane keep its error near one
/// rounding.
inline constexpr index_t row_block = 256 * host_lanes;

/// Σ f(p[i]) over at most `row_block` elements, by four independent vectors.
template <class F>
INLAY_INLINE float block_sum(const float* p, index_t n, F f) {
    fvec s0 = 0.f, s1 = 0.f, s2 = 0.f, s3 = 0.f;
    index_t i = 0;
    for (; i + 4 * host_lanes <= n; i += 4 * host_lanes) {
        s0 += f(fvec::load(p + i));
        s1 += f(fvec::load(p + i + host_lanes));
        s2 += f(fvec::load(p + i + 2 * host_lanes));
        s3 += f(fvec::load(p + i + 3 * host_lanes));
    }
    for (; i + host_lanes <= n; i += host_lanes) s0 += f(fvec::load(p + i));
    float tail = 0.f;
    for (; i < n; ++i) tail += f(fvec(p[i]))[0];
    return math::lane_sum((s0 + s1) + (s2 + s3)) + tail;
}
}  // namespace detail

/// Σ p[i]; 0 for no elements.
inline double row_sum(const float* p, index_t n) {
    double sum = 0;
    for (index_t i = 0; i < n; i += detail::row_block)
        sum += static_cast<double>(
            detail::block_sum(p + i, (std::min)(detail::row_block, n - i), [](fvec x) { return x; }));
    return sum;
}

/// Σ p[i]²; 0 for no elements.
inline double row_sum_of_squares(const float* p, index_t n) {
    double sum = 0;
    for (index_t i = 0; i < n; i += detail::row_block)
        sum += static_cast<double>(
            detail::block_sum(p + i, (std::min)(detail::row_block, n - i), [](fvec x) { return x * x; }));
    return sum;
}

/// The greatest element; NaN when any is, -infinity for no elements.
inline float row_max(const float* p, index_t n) {
    constexpr float least = -std::numeric_limits<float>::infinity();
    fvec m = least;
    index_t i = 0;
    for (; i + host_lanes <= n; i += host_lanes) m = (math::max)(m, fvec::load(p + i));
    float r = math::lane_max(m);
    for (; i < n; ++i) r = (math::max)(r, p[i]);
    return r;
}

/// p[i] = exp(p[i] - max p) / Σ exp(p - max p). NaN where every element is -infinity or one is NaN.
inline void row_softmax(float* p, index_t n) {
    const fvec most = row_max(p, n);
    index_t i = 0;
    for (; i + host_lanes <= n; i += host_lanes) math::exp(fvec::load(p + i) - most).store(p + i);
    if (i < n) store_n<float>(p + i, math::exp(load_n<float>(p + i, n - i) - most), n - i);
    const fvec by = static_cast<float>(1.0 / row_sum(p, n));
    for (i = 0; i + host_lanes <= n; i += host_lanes) (fvec::load(p + i) * by).store(p + i);
    for (; i < n; ++i) p[i] *= by[0];
}

/// The moments of a set of numbers: their count, their mean, and the sum of squared deviations from it.
struct Moments {
    index_t count = 0;
    double mean = 0, m2 = 0;

    /// Σ (x - mean)² / count, as LayerNorm and GroupNorm use it.
    double variance() const { return count > 0 ? m2 / static_cast<double>(count) : 0; }
};

/// The moments of the union (Chan, Golub, LeVeque 1983). Stable: no difference of large squares.
inline Moments merge(const Moments& a, const Moments& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const index_t n = a.count + b.count;
    const double d = b.mean - a.mean, share = static_cast<double>(b.count) / static_cast<double>(n);
    return {n, a.mean + d * share, a.m2 + b.m2 + d * d * static_cast<double>(a.count) * share};
}

/// Two passes over each cache-resident block, blocks merged in order: also right when the mean dwarfs the deviation.
inline Moments row_moments(const float* p, index_t n) {
    Moments all;
    for (index_t i = 0; i < n; i += detail::row_block) {
        const index_t size = (std::min)(detail::row_block, n - i);
        const double count = static_cast<double>(size);
        // Shifted by an element of the block, so that fp32 sums are of deviations.
        const fvec shift = std::isfinite(p[i]) ? p[i] : 0.f;
        const double sum = static_cast<double>(detail::block_sum(p + i, size, [=](fvec x) { return x - shift; }));
        const double mean = static_cast<double>(shift[0]) + sum / count;
        const fvec centre = static_cast<float>(mean);
        const double squares = static_cast<double>(detail::block_sum(p + i, size, [=](fvec x) {
            const fvec d = x - centre;
            return d * d;
        }));
        // Σ(x - c)² is about the rounded mean c; the exact mean is nearer by count · (mean - c)².
        const double off = mean - static_cast<double>(centre[0]);
        const double m2 = squares - count * off * off;
        all = merge(all, {size, mean, m2 < 0 ? 0 : m2});
    }
    return all;
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
