// SPDX-License-Identifier: Apache-2.0
/// The rows that the operation of a frame (softmax, LayerNorm, RMSNorm) works on. An operation first measures its row,
/// then changes it once, so a row that fits no registers is read twice: measured as a whole, then changed chunk by
/// chunk from what was measured.
///
/// Means come first and squared deviations are taken about them: stable however large the mean.
#pragma once

#include <inlay/tile/cuda/chunk.hpp>
#include <inlay/tile/cuda/group.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

/// op over the lanes below `lanes`, into one accumulator per lane.
template <int N, class Op, class F>
__device__ INLAY_INLINE void fold(Vec<float, N>& to, const Vec<float, N>& x, int lanes, Op op, F f) {
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) to.v[i] = i < lanes ? op(to.v[i], f(x.v[i])) : to.v[i];
}
/// (x − mean) · rstd · γ + β of the channels from j on.
template <int N, class G, class B>
__device__ INLAY_INLINE void scale_shift(Vec<float, N>& x, index_t j, int lanes, float mean, float rstd, const G& gamma,
                                         const B& beta) {
    const auto g = load_lanes<N>(gamma.data + j * gamma.strides[0], gamma.strides[0], 0, lanes);
    const auto b = load_lanes<N>(beta.data + j * beta.strides[0], beta.strides[0], 0, lanes);
    x = (x - mean) * rstd * g + b;
}
template <int N, class G>
__device__ INLAY_INLINE void scale(Vec<float, N>& x, index_t j, int lanes, float by, const G& gamma) {
    x = x * by * load_lanes<N>(gamma.data + j * gamma.strides[0], gamma.strides[0], 0, lanes);
}

struct Same {
    __device__ INLAY_INLINE float operator()(float x) const { return x; }
};
struct Square {
    __device__ INLAY_INLINE float operator()(float x) const { return x * x; }
};

}  // namespace detail

/// A row in the registers of a group: K chunks per thread, `group.size` chunks apart.
template <int N, int K>
class RegisterRow {
public:
    using value = float;
    Vec<float, N> x[K];

    __device__ RegisterRow(Group& group, int n, bool present) : group_(group), n_(n), here_(present ? n : 0) {}

    /// First element of chunk k, and how many the row has there.
    __device__ INLAY_INLINE int first(int k) const { return (group_.rank + k * group_.size) * N; }
    __device__ INLAY_INLINE int lanes(int k) const {
        const int left = here_ - first(k);
        return left < 0 ? 0 : left < N ? left : N;
    }

    __device__ index_t size() const { return n_; }
    __device__ INLAY_INLINE Moments<float> moments() {
        const float n = static_cast<float>(n_), guess = group_.reduce(sum(detail::Same{}), Plus{}) / n;
        Vec<float, N> d(0.0f), q(0.0f);
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) {
            const Vec<float, N> off = x[k] - guess;
            detail::fold(d, off, lanes(k), Plus{}, detail::Same{});
            detail::fold(q, off, lanes(k), Plus{}, detail::Square{});
        }
        float s[2] = {detail::join_lanes(d, Plus{}), detail::join_lanes(q, Plus{})};
        group_.reduce(s, Plus{});
        return {guess + s[0] / n, fmaxf(s[1] - s[0] * s[0] / n, 0.0f)};  // what rounding the guess had cost
    }
    __device__ INLAY_INLINE float sum_of_squares() { return group_.reduce(sum(detail::Square{}), Plus{}); }
    __device__ INLAY_INLINE void softmax() {
        Vec<float, N> most(-INFINITY);
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) detail::fold(most, x[k], lanes(k), Greatest{}, detail::Same{});
        // A NaN was passed over, but makes the sum NaN; a row of −inf becomes exp(−inf + inf).
        const float top = group_.reduce(detail::join_lanes(most, Greatest{}), Greatest{});
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) x[k] = math::exp(x[k] - top);
        const float by = 1.0f / group_.reduce(sum(detail::Same{}), Plus{});
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) x[k] *= by;
    }
    template <class G, class B>
    __device__ INLAY_INLINE void scale_shift(float mean, float rstd, const G& gamma, const B& beta) {
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) detail::scale_shift(x[k], first(k), lanes(k), mean, rstd, gamma, beta);
    }
    template <class G>
    __device__ INLAY_INLINE void scale(float by, const G& gamma) {
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) detail::scale(x[k], first(k), lanes(k), by, gamma);
    }

private:
    template <class F>
    __device__ INLAY_INLINE float sum(F f) const {
        Vec<float, N> s(0.0f);
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) detail::fold(s, x[k], lanes(k), Plus{}, f);
        return detail::join_lanes(s, Plus{});
    }

    Group& group_;
    int n_, here_;
};

/// What was measured of a row.
struct Measures {
    Moments<float> moments{};
    float squares = 0, top = 0, inverse_sum = 0;
};

/// A row that an operation measures in one pass over the expression; what would change it does nothing.
template <int N, class In, int R>
class MeasuredRow {
public:
    using value = float;
    Measures measures;

    __device__ MeasuredRow(Group& group, const In& in, const Extents<R>& c, index_t n)
        : group_(group), in_(in), c_(c), n_(n) {}

    __device__ index_t size() const { return n_; }
    /// Chan's formula merges the chunks of a thread, then the threads.
    __device__ INLAY_INLINE Moments<float> moments() {
        float count = 0, mean = 0, m2 = 0;
        each([&](const Vec<float, N>& x, int lanes) {
            const float more = static_cast<float>(lanes), total = count + more;
            Vec<float, N> s(0.0f), q(0.0f);
            detail::fold(s, x, lanes, Plus{}, detail::Same{});
            const float own = detail::join_lanes(s, Plus{}) / more, d = own - mean, part = more / total;
            detail::fold(q, x - own, lanes, Plus{}, detail::Square{});
            mean += d * part;
            m2 += detail::join_lanes(q, Plus{}) + d * d * count * part;
            count = total;
        });
        const float n = static_cast<float>(n_);
        const float guess = group_.reduce(count * mean, Plus{}) / n, d = mean - guess;
        float s[2] = {count * d, m2 + count * d * d};
        group_.reduce(s, Plus{});
        return measures.moments = {guess + s[0] / n, fmaxf(s[1] - s[0] * s[0] / n, 0.0f)};
    }
    __device__ INLAY_INLINE float sum_of_squares() {
        Vec<float, N> s(0.0f);
        each([&](const Vec<float, N>& x, int lanes) { detail::fold(s, x, lanes, Plus{}, detail::Square{}); });
        return measures.squares = group_.reduce(detail::join_lanes(s, Plus{}), Plus{});
    }
    /// The sum of the exponentials is that of a running greatest element, rescaled when it grows.
    __device__ INLAY_INLINE void softmax() {
        float top = -INFINITY, sum = 0;
        each([&](const Vec<float, N>& x, int lanes) {
            Vec<float, N> most(top), s(0.0f);
            detail::fold(most, x, lanes, Greatest{}, detail::Same{});
            const float next = detail::join_lanes(most, Greatest{}), base = next == -INFINITY ? 0.0f : next;
            detail::fold(s, math::exp(x - base), lanes, Plus{}, detail::Same{});
            sum = sum * math::exp(top - base) + detail::join_lanes(s, Plus{});
            top = next;
        });
        measures.top = group_.reduce(top, Greatest{});
        const float base = measures.top == -INFINITY ? 0.0f : measures.top;
        measures.inverse_sum = 1.0f / group_.reduce(sum * math::exp(top - base), Plus{});
    }
    template <class G, class B>
    __device__ void scale_shift(float, float, const G&, const B&) {}
    template <class G>
    __device__ void scale(float, const G&) {}

private:
    /// f(chunk, lanes) for the chunks of this thread; two of them are under way at a time.
    template <class F>
    __device__ INLAY_INLINE void each(F f) const {
        const index_t apart = static_cast<index_t>(group_.size) * N;
        index_t j = static_cast<index_t>(group_.rank) * N;
        const RowReader<N, In, R> row(in_, c_, n_);
        if (row.dense()) {
#pragma unroll 1
            for (; j + apart < n_; j += 2 * apart) {
                const Vec<float, N> a = row[j], b = row[j + apart];
                f(a, N);
                f(b, N);
            }
            if (j < n_) f(row[j], N);
        } else {
#pragma unroll 1
            for (; j < n_; j += apart) {
                Extents<R> c = c_;
                c.back(0) += j;
                const int lanes = n_ - j < N ? static_cast<int>(n_ - j) : N;
                f(read_chunk<N>(in_, c, lanes), lanes);
            }
        }
    }

    Group& group_;
    const In& in_;
    Extents<R> c_;
    index_t n_;
};

/// One chunk of a measured row, from element j on: the operation finds its measures and changes the chunk.
template <int N>
class ReplayedRow {
public:
    using value = float;
    Vec<float, N> x;

    __device__ ReplayedRow(const Measures& m, index_t n, index_t j, int lanes) : m_(m), n_(n), j_(j), lanes_(lanes) {}

    __device__ index_t size() const { return n_; }
    __device__ Moments<float> moments() const { return m_.moments; }
    __device__ float sum_of_squares() const { return m_.squares; }
    __device__ INLAY_INLINE void softmax() { x = math::exp(x - m_.top) * m_.inverse_sum; }
    template <class G, class B>
    __device__ INLAY_INLINE void scale_shift(float mean, float rstd, const G& gamma, const B& beta) {
        detail::scale_shift(x, j_, lanes_, mean, rstd, gamma, beta);
    }
    template <class G>
    __device__ INLAY_INLINE void scale(float by, const G& gamma) {
        detail::scale(x, j_, lanes_, by, gamma);
    }

private:
    const Measures& m_;
    index_t n_, j_;
    int lanes_;
};

}  // namespace inlay::inline INLAY_ABI::cuda
