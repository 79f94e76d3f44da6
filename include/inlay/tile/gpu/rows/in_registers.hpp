// SPDX-License-Identifier: Apache-2.0
/// A row in registers, on which the operation of a frame (softmax, LayerNorm, RMSNorm) works.
///
/// Means come first and squared deviations are taken about them: stable however large the mean.
#pragma once

#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/block/group.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// op over the lanes below `lanes`, into one accumulator per lane.
template <int N, class Op, class F>
__device__ INLAY_INLINE void fold(Vec<float, N>& to, const Vec<float, N>& x, int lanes, Op op, F f) {
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) to.v[i] = i < lanes ? op(to.v[i], f(x.v[i])) : to.v[i];
}
/// True if chunks of an operand [C] can be read by vectors.
template <int N, class G>
__device__ INLAY_INLINE bool dense_operand(const G& g) {
    return g.strides[0] == 1 && is_aligned(g.data, vector_alignment<std::remove_cvref_t<decltype(*g.data)>, N>);
}

struct Same {
    __device__ INLAY_INLINE float operator()(float x) const { return x; }
};
struct Square {
    __device__ INLAY_INLINE float operator()(float x) const { return x * x; }
};
/// e^x for x ≤ 0 where N results are 16 bytes: 8 are rounded to 16 bits, which hides the error of the quick one.
template <int N, int M>
__device__ INLAY_INLINE Vec<float, M> exp_in_row(const Vec<float, M>& x) {
    if constexpr (N >= 8) return math::quick_exp(x);
    else return math::exp(x);
}

}  // namespace detail

/// A row in the registers of a group: `each` ≤ K chunks per thread, `group.size` chunks apart. Chunk 0 is the last of
/// its thread and the only one that may reach beyond the row; its lanes there hold anything.
template <int N, int K>
class RegisterRow {
public:
    using value = float;
    static constexpr int batch = K < 4 ? K : 4;  ///< chunks that are loaded without a branch between
    Vec<float, N> x[K];
    bool wait_for_operands = false;     ///< they are on their way to shared memory; n is a multiple of N

    __device__ RegisterRow(Group& group, int n, int each)
        : group_(group), n_(n), each_(each), apart_(group.size * N),
          first_((group.rank + (each - 1) * group.size) * N) {
        // Not clamped at 0: for sm_90, ptxas 13.0 replaces a number that is clamped to [0, N] by N where it is at most
        // N, and vectors would be read behind the row's end.
        last_lanes_ = ::min(n - first_, N);
    }

    /// First element of chunk k, and the number of the row's elements there; below 1: none.
    __device__ INLAY_INLINE int first(int k) const { return first_ - k * apart_; }
    __device__ INLAY_INLINE int lanes(int k) const { return k == 0 ? last_lanes_ : N; }
    /// `first`, or of another chunk of the row where it has no chunk k.
    __device__ INLAY_INLINE int clamped(int k) const { return (::max)(0, (::min)(first(k), n_ - N)); }

    __device__ index_t size() const { return n_; }
    __device__ INLAY_INLINE Moments<float> moments() {
        const float n = static_cast<float>(n_), guess = math::quotient(group_.reduce(sum(detail::Same{}), Plus{}), n);
        Vec<float, N> d = inside(x[0] - guess, 0.0f), q = d * d;
        INLAY_UNROLL
        for (int k = 1; k < K; ++k) {
            if (k >= each_) break;
            const Vec<float, N> off = x[k] - guess;
            d += off;
            q += off * off;
        }
        float s[2] = {detail::join_lanes(d, Plus{}), detail::join_lanes(q, Plus{})};
        group_.reduce(s, Plus{});
        const float off = math::quotient(s[0], n);
        return {guess + off, fmaxf(s[1] - s[0] * off, 0.0f)};  // the rounding error of the guess
    }
    __device__ INLAY_INLINE float sum_of_squares() { return group_.reduce(sum(detail::Square{}), Plus{}); }
    __device__ INLAY_INLINE void softmax() {
        x[0] = inside(x[0], -INFINITY);
        Vec<float, N> most = x[0];
        INLAY_UNROLL
        for (int k = 1; k < K; ++k) {
            if (k >= each_) break;
            detail::fold(most, x[k], N, Greatest{}, detail::Same{});
        }
        // The maximum passes over a NaN, but it makes the sum NaN; a row of −inf becomes exp(−inf + inf).
        const float top = group_.reduce(detail::join_lanes(most, Greatest{}), Greatest{});
        each([top](const Vec<float, N>& v) { return detail::exp_in_row<N>(v - top); });
        const float by = 1.0f / group_.reduce(sum(detail::Same{}), Plus{});
        each([by](const Vec<float, N>& v) { return v * by; });
    }
    template <class G, class B>
    __device__ INLAY_INLINE void scale_shift(float mean, float rstd, const G& gamma, const B& beta) {
        change(
            [=](const Vec<float, N>& v, const Vec<float, N>& g, const Vec<float, N>& b) {
                return (v - mean) * rstd * g + b;
            },
            gamma, beta);
    }
    template <class G>
    __device__ INLAY_INLINE void scale(float by, const G& gamma) {
        change([by](const Vec<float, N>& v, const Vec<float, N>& g) { return v * by * g; }, gamma);
    }
    /// x = f(x), f an operation on vectors of floats.
    template <class F>
    __device__ INLAY_INLINE void each(F f) {
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) {
            if (k >= each_) break;
            x[k] = f(x[k]);
        }
    }

private:
    /// The lanes of chunk 0, `other` beyond the row.
    __device__ INLAY_INLINE Vec<float, N> inside(Vec<float, N> v, float other) const {
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) v.v[i] = i < last_lanes_ ? v.v[i] : other;
        return v;
    }
    template <class F>
    __device__ INLAY_INLINE float sum(F f) const {
        Vec<float, N> s = inside(x[0], 0.0f);
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) s.v[i] = f(s.v[i]);
        INLAY_UNROLL
        for (int k = 1; k < K; ++k) {
            if (k >= each_) break;
            detail::fold(s, x[k], N, Plus{}, f);
        }
        return detail::join_lanes(s, Plus{});
    }
    /// x[j] = f(x[j], a[j]...), half of the chunks at a time where the operands can be read by vectors.
    template <class F, class... A>
    __device__ INLAY_INLINE void change(F f, const A&... a) {
        if (wait_for_operands) {
            copy_wait<0>();
            block_sync();
            INLAY_UNROLL
            for (int k = 0; k < K; ++k) {
                if (k >= each_) break;
                x[k] = f(x[k], load_vector<N>(a.data + clamped(k))...);
            }
            return;
        }
        if (n_ % N == 0 && (detail::dense_operand<N>(a) && ...)) {
            constexpr int half = K / 2;
            INLAY_UNROLL
            for (int from = 0; from < K; from += half) {
                if (from >= each_) break;
                INLAY_UNROLL
                for (int k = from; k < from + half; ++k) x[k] = f(x[k], load_vector<N>(a.data + clamped(k))...);
            }
            return;
        }
#pragma unroll 1
        for (int k = 0; k < each_; ++k) {
            const index_t j = first(k);
            INLAY_UNROLL
            for (int to = 0; to < K; ++to)
                if (to == k)
                    x[to] = f(x[to], load_lanes<N>(a.data + j * a.strides[0], a.strides[0], 0, lanes(k))...);
        }
    }

    Group& group_;
    int n_, each_, apart_, first_, last_lanes_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
