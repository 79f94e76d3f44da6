// SPDX-License-Identifier: Apache-2.0
/// The online softmax of Milakov and Gimelshein (2018) for the loop of attention: scores become weights in place.
#pragma once

#include <inlay/core/types.hpp>
#include <inlay/tile/host/attention/tile.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

namespace detail {

/// s[i] · scale in place, the greatest of them returned. The row is continued to a whole vector with -infinity. A NaN
/// may be passed over: it makes the sum of the row NaN, and so the whole row.
inline float scale_and_max(float* s, index_t n, float scale) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto step = [&](fvec& most, index_t i) {
        const fvec x = fvec::load(s + i) * scale;
        x.store(s + i);
        most.v = most.v > x.v ? most.v : x.v;
    };
    fvec even = -infinity, odd = -infinity;  // two chains hide the latency of the comparison
    index_t i = 0;
    for (; i + 2 * host_lanes <= n; i += 2 * host_lanes) step(even, i), step(odd, i + host_lanes);
    if (i + host_lanes <= n) step(even, i), i += host_lanes;
    float r = math::lane_max((math::max)(even, odd));
    for (; i < n; ++i) r = (math::max)(r, s[i] *= scale);
    for (; i % host_lanes != 0; ++i) s[i] = -infinity;
    return r;
}

/// exp(s[i] - shift) in place, the sum returned.
inline float exp_and_sum(float* s, index_t n, float shift) {
    fvec sum = 0.f;
    for (index_t i = 0; i < n; i += host_lanes) {
        const fvec p = math::exp(fvec::load(s + i) - shift);
        p.store(s + i);
        sum += p;
    }
    return math::lane_sum(sum);
}

/// One row of a tile of scores becomes probabilities relative to the greatest score so far; the running maximum, sum
/// and output are brought to the same scale.
inline void online_softmax(float* s, index_t n, float block_most, float& most, float& sum, float* out, index_t dv) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float next = (math::max)(most, block_most);
    // If every score so far is -infinity the exponents would be NaN: any finite shift gives the right zeros.
    const float shift = next == -infinity ? 0.f : next;
    const float correction = std::exp(most - shift);
    const float block_sum = exp_and_sum(s, n, shift);
    if (!(correction == 1.f) && most != -infinity)
        for (index_t i = 0; i < dv; i += host_lanes) (fvec::load(out + i) * correction).store(out + i);
    sum = sum * correction + block_sum;  // also where `most` is -infinity: the sum is 0 then, or NaN
    most = next;
}

}  // namespace detail

/// Rows of softmax(scale · Q·K) V. `hide(batch, query, key0, n, s)` puts -infinity in place of the scores of hidden
/// keys of the n from key0 on, in blocks that are masked; `store(batch, query, o)` receives finished rows.
/// A row whose every score is -infinity gives 0.
template <class Hide, class Store>
struct SoftmaxRows {
    static constexpr int weights = 1, vectors = 1;
    static constexpr float infinity = std::numeric_limits<float>::infinity();
    struct Row {
        float most, sum;
    };
    /// One pass, with one sum.
    struct Pass {
        static constexpr int weight_of[] = {0}, vectors = 1;
    };
    using passes = types<Pass>;

    float scale;
    Hide hide;
    Store store;
    index_t dv;

    Row start(index_t, index_t) const { return {-infinity, 0}; }
    template <class>
    void weigh(Row& row, const KeyRun& keys, float* const* w, float* const* out) const {
        float* const s = w[0];
        if (keys.masked) hide(keys.batch, keys.query, keys.first, keys.count, s);
        const float most = detail::scale_and_max(s, keys.count, scale);
        detail::online_softmax(s, keys.count, most, row.most, row.sum, out[0], dv);
    }
    template <class>
    void end(Row& row, index_t batch, index_t query, float* const* out) const {
        float* const o = out[0];
        if (row.sum == 0) std::fill_n(o, dv, 0.f);
        else
            for (index_t j = 0; j < dv; j += host_lanes) (fvec::load(o + j) / row.sum).store(o + j);
        store(batch, query, o);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
