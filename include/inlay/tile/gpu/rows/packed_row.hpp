// SPDX-License-Identifier: Apache-2.0
/// A row of 16-bit elements that lanes of a warp hold as it is stored, with the γ and β of its channels, all loaded
/// before any is used, and normalised without shared memory or a barrier. Floats come and go chunk by chunk.
///
/// Squared deviations are taken about the mean of a lane, and merged by Chan's formula (see `moments.hpp`): stable
/// however large the mean, and lanes meet once.
#pragma once

#include <inlay/tile/gpu/block/group.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// n elements, a multiple of 8, of which each of `size` lanes, a power of two up to `narrowest_warp`, has up to K
/// chunks, `size` chunks apart. `Shifts`: there is a β. All lanes of a warp call the functions that add over the row.
template <class T, int K, bool Shifts>
class StoredRow {
public:
    static_assert(sizeof(T) == 2);
    using value = float;
    static constexpr int N = chunk_of<T>;

    __device__ StoredRow(int size, int n)
        : size_(size), n_(n), first_((thread_index() & (size - 1)) * N) {}

    /// Loads the row at `from`, and γ and β.
    template <class Op>
    __device__ INLAY_INLINE void load(const T* from, const Op& op) {
        load(x_, from);
        load(gamma_, op.gamma.data);
        if constexpr (Shifts) load(beta_, op.beta.data);
    }
    __device__ INLAY_INLINE void store(T* to) const {
        INLAY_UNROLL
        for (int k = 0; k < K; ++k)
            if (has(k)) *reinterpret_cast<uint4*>(to + first(k)) = x_[k];
    }

    __device__ index_t size() const { return n_; }
    __device__ INLAY_INLINE Moments<float> moments() const {
        Vec<float, N> s(0.0f), d(0.0f), q(0.0f);
        int chunks = 0;
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) s += floats(k), chunks += has(k);
        float n = static_cast<float>(chunks * N);       // 0 in a lane that has none
        const float guess = math::quotient(detail::join_lanes(s, Plus{}), fmaxf(n, 1.0f));
        INLAY_UNROLL
        for (int k = 0; k < K; ++k)
            if (has(k)) {
                const Vec<float, N> off = floats(k) - guess;
                d += off;
                q += off * off;
            }
        const float sum = detail::join_lanes(d, Plus{}), off = math::quotient(sum, fmaxf(n, 1.0f));
        float mean = guess + off, m2 = detail::join_lanes(q, Plus{}) - sum * off;  // the rounding error of the guess
        INLAY_UNROLL
        for (int apart = narrowest_warp / 2; apart > 0; apart /= 2) {
            if (apart >= size_) continue;
            const float other_n = shuffle_xor(n, apart), other = shuffle_xor(mean, apart), all = n + other_n;
            const float per = math::quotient(1.0f, fmaxf(all, 1.0f)), gap = other - mean;
            m2 += shuffle_xor(m2, apart) + gap * gap * n * other_n * per;
            mean = (mean * n + other * other_n) * per;
            n = all;
        }
        return {mean, fmaxf(m2, 0.0f)};
    }
    __device__ INLAY_INLINE float sum_of_squares() const {
        Vec<float, N> s(0.0f);
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) s += floats(k) * floats(k);
        float total = detail::join_lanes(s, Plus{});
        INLAY_UNROLL
        for (int apart = narrowest_warp / 2; apart > 0; apart /= 2)
            if (apart < size_) total += shuffle_xor(total, apart);
        return total;
    }
    template <class G, class B>
    __device__ INLAY_INLINE void scale_shift(float mean, float rstd, const G&, const B&) {
        INLAY_UNROLL
        for (int k = 0; k < K; ++k)
            x_[k] = packed_chunk<T>((floats(k) - mean) * rstd * chunk_floats<T>(gamma_[k]) + chunk_floats<T>(beta_[k]));
    }
    template <class G>
    __device__ INLAY_INLINE void scale(float by, const G&) {
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) x_[k] = packed_chunk<T>(floats(k) * by * chunk_floats<T>(gamma_[k]));
    }

private:
    __device__ INLAY_INLINE int first(int k) const { return first_ + k * size_ * N; }
    __device__ INLAY_INLINE bool has(int k) const { return first(k) < n_; }
    __device__ INLAY_INLINE Vec<float, N> floats(int k) const { return chunk_floats<T>(x_[k]); }
    /// Zeros behind the row's end.
    __device__ INLAY_INLINE void load(uint4 (&to)[K], const T* from) const {
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) to[k] = has(k) ? *reinterpret_cast<const uint4*>(from + first(k)) : uint4{};
    }

    uint4 x_[K], gamma_[K], beta_[Shifts ? K : 1];
    int size_, n_, first_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
