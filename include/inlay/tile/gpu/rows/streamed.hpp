// SPDX-License-Identifier: Apache-2.0
/// A row that fits no registers: an operation first measures its row, then changes it once, so it is measured as a
/// whole, then changed chunk by chunk by its measures. As much of it as fits stays in shared memory in between.
#pragma once

#include <inlay/plan/norm/rows.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/rows/in_registers.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

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

/// The measures of a thread's elements: `f(x, lanes)` for some of them at a time.
///
/// Chan's formula merges their moments.
struct ThreadMoments {
    float count = 0, mean = 0, m2 = 0;

    template <int M>
    __device__ INLAY_INLINE void operator()(const Vec<float, M>& x, int lanes) {
        const float more = static_cast<float>(lanes), total = count + more;
        Vec<float, M> s(0.0f), q(0.0f);
        fold(s, x, lanes, Plus{}, Same{});
        const float own = join_lanes(s, Plus{}) / more, d = own - mean, part = more / total;
        fold(q, x - own, lanes, Plus{}, Square{});
        mean += d * part;
        m2 += join_lanes(q, Plus{}) + d * d * count * part;
        count = total;
    }
};
struct ThreadSquares {
    float sum = 0;

    template <int M>
    __device__ INLAY_INLINE void operator()(const Vec<float, M>& x, int lanes) {
        Vec<float, M> s(0.0f);
        fold(s, x, lanes, Plus{}, Square{});
        sum += join_lanes(s, Plus{});
    }
};
/// The sum of the exponentials is that of a running greatest element, rescaled when it grows.
template <int N>
struct ThreadExponentials {
    float top = -INFINITY, sum = 0;

    template <int M>
    __device__ INLAY_INLINE void operator()(const Vec<float, M>& x, int lanes) {
        Vec<float, M> most(top), s(0.0f);
        fold(most, x, lanes, Greatest{}, Same{});
        const float next = join_lanes(most, Greatest{}), base = next == -INFINITY ? 0.0f : next;
        fold(s, exp_in_row<N>(x - base), lanes, Plus{}, Same{});
        sum = sum * math::exp(top - base) + join_lanes(s, Plus{});
        top = next;
    }
};

}  // namespace detail

/// The measures of a row.
struct Measures {
    Moments<float> moments{};
    float squares = 0, top = 0, inverse_sum = 0;
};

/// The first elements of a row, in shared memory as T: each thread reads its own.
template <int N, class T>
class RowCache {
public:
    __device__ RowCache(void* shared, int elements) : parts_(static_cast<Part*>(shared)), elements_(elements) {}

    __device__ INLAY_INLINE bool holds(index_t j) const { return j < elements_; }
    __device__ INLAY_INLINE void put(index_t j, const Vec<float, N>& x) {
        if constexpr (sizeof(T) == 2) {
            parts_[at(j, 0)] = packed_chunk<T>(x);
        } else {
            INLAY_UNROLL
            for (int p = 0; p < N / W; ++p) {
                Part q;
                INLAY_UNROLL
                for (int i = 0; i < W; ++i) q.v[i] = x.v[p * W + i];
                parts_[at(j, p)] = q;
            }
        }
    }
    __device__ INLAY_INLINE Vec<float, N> get(index_t j) const {
        if constexpr (sizeof(T) == 2) {
            return chunk_floats<T>(parts_[at(j, 0)]);
        } else {
            Vec<float, N> x;
            INLAY_UNROLL
            for (int p = 0; p < N / W; ++p) {
                const Part q = parts_[at(j, p)];
                INLAY_UNROLL
                for (int i = 0; i < W; ++i) x.v[p * W + i] = q.v[i];
            }
            return x;
        }
    }

private:
    static constexpr int W = N < 4 ? N : 4;
    struct alignas(4 * W) Floats {
        float v[W];
    };
    using Part = std::conditional_t<sizeof(T) == 2, uint4, Floats>;
    /// Neighbouring threads read neighbouring words: no bank conflicts.
    __device__ INLAY_INLINE int at(index_t j, int part) const {
        return part * (elements_ / N) + static_cast<int>(j) / N;
    }
    Part* parts_;
    int elements_;  // a multiple of N
};

/// A row that an operation measures in one pass over the expression, and as much of it as fits is left in a cache;
/// functions that would change it do nothing.
template <int N, class In, int R>
class MeasuredRow {
public:
    using value = float;
    using Cache = RowCache<N, StreamedType<N, In>>;
    Measures measures;

    __device__ MeasuredRow(Group& group, Cache& cache, const In& in, const Extents<R>& c, index_t n)
        : group_(group), cache_(cache), in_(in), c_(c), n_(n) {}

    __device__ index_t size() const { return n_; }
    __device__ INLAY_INLINE Moments<float> moments() {
        detail::ThreadMoments own;
        measure(own);
        const float n = static_cast<float>(n_);
        const float guess = group_.reduce(own.count * own.mean, Plus{}) / n, d = own.mean - guess;
        float s[2] = {own.count * d, own.m2 + own.count * d * d};
        group_.reduce(s, Plus{});
        return measures.moments = {guess + s[0] / n, fmaxf(s[1] - s[0] * s[0] / n, 0.0f)};
    }
    __device__ INLAY_INLINE float sum_of_squares() {
        detail::ThreadSquares own;
        measure(own);
        return measures.squares = group_.reduce(own.sum, Plus{});
    }
    __device__ INLAY_INLINE void softmax() {
        detail::ThreadExponentials<N> own;
        measure(own);
        measures.top = group_.reduce(own.top, Greatest{});
        const float base = measures.top == -INFINITY ? 0.0f : measures.top;
        measures.inverse_sum = 1.0f / group_.reduce(own.sum * math::exp(own.top - base), Plus{});
    }
    template <class G, class B>
    __device__ void scale_shift(float, float, const G&, const B&) {}
    template <class G>
    __device__ void scale(float, const G&) {}
    template <class F>
    __device__ void each(F) {}

private:
    /// f(elements, their number) for those of this thread, a chunk or several that were under way at a time.
    template <class F>
    __device__ INLAY_INLINE void measure(F& f) const {
        const index_t apart = static_cast<index_t>(group_.size) * N;
        index_t j = static_cast<index_t>(group_.rank) * N;
        const RowReader<N, In, R> row(in_, c_, n_);
        if (row.dense()) {
            constexpr int under_way = 16 / N;
#pragma unroll 1
            for (; j + (under_way - 1) * apart < n_; j += under_way * apart) {
                Vec<float, N> x[under_way];
                Vec<float, under_way * N> all;
                INLAY_UNROLL
                for (int i = 0; i < under_way; ++i) x[i] = row[j + i * apart];
                INLAY_UNROLL
                for (int i = 0; i < under_way; ++i) {
                    keep(j + i * apart, x[i]);
                    INLAY_UNROLL
                    for (int l = 0; l < N; ++l) all.v[i * N + l] = x[i].v[l];
                }
                f(all, under_way * N);
            }
#pragma unroll 1
            for (; j < n_; j += apart) {
                const Vec<float, N> x = row[j];
                keep(j, x);
                f(x, N);
            }
        } else {
#pragma unroll 1
            for (; j < n_; j += apart) {
                Extents<R> c = c_;
                c.back(0) += j;
                const int lanes = n_ - j < N ? static_cast<int>(n_ - j) : N;
                const Vec<float, N> x = read_chunk<N>(in_, c, lanes);
                keep(j, x);
                f(x, lanes);
            }
        }
    }
    __device__ INLAY_INLINE void keep(index_t j, const Vec<float, N>& x) const {
        if (cache_.holds(j)) cache_.put(j, x);
    }

    Group& group_;
    Cache& cache_;
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
    __device__ INLAY_INLINE void softmax() { x = detail::exp_in_row<N>(x - m_.top) * m_.inverse_sum; }
    template <class G, class B>
    __device__ INLAY_INLINE void scale_shift(float mean, float rstd, const G& gamma, const B& beta) {
        detail::scale_shift(x, j_, lanes_, mean, rstd, gamma, beta);
    }
    template <class G>
    __device__ INLAY_INLINE void scale(float by, const G& gamma) {
        detail::scale(x, j_, lanes_, by, gamma);
    }
    template <class F>
    __device__ INLAY_INLINE void each(F f) {
        x = f(x);
    }

private:
    const Measures& m_;
    index_t n_, j_;
    int lanes_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
