// SPDX-License-Identifier: Apache-2.0
/// Exponents of scores that are linear in the product of query and key and in the number of the key: what changes from
/// row to row alone is computed once for all scores of a row, and an exponent takes two operations.
#pragma once

#include <inlay/plan/attention/linear_score.hpp>
#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/cuda/wgmma/attention/score_leaves.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <class E>
inline constexpr float positive_number = 0.0f;
template <inlay::detail::Real V>
    requires(inlay::detail::value_of(V) > 0)
inline constexpr float positive_number<node::Const<V>> = static_cast<float>(inlay::detail::value_of(V));

}  // namespace detail

/// Exponents of 2 of scores that are linear in product and key, for registers that still have products: by · product +
/// slope · key + a number of the row, in two operations with the maximum subtracted. Products are multiplied by a
/// positive constant, so that a hidden key's is -infinity as its score.
template <class E, class Algebra>
struct WgmmaLinearExponents {
    using Linear = LinearScore<E>;
    static constexpr bool possible = [] {
        if constexpr (Linear::possible) return detail::positive_number<typename Linear::of_product> > 0;
        else return false;
    }();
    static constexpr float log2_base = static_cast<float>(WgmmaPower<Algebra>::log2_base);
    static constexpr float by = [] {
        if constexpr (possible) return detail::positive_number<typename Linear::of_product> * log2_base;
        else return 0.0f;
    }();

    float slope[2], origin[2];      ///< of two rows; the score of the product 0 at `key`
    int key;
    float rest[2];                  ///< the same at the lane's first key of a block

    /// At the key of a place. Of others the distance from it is exact, and small where weights are great.
    template <class Args>
    __device__ INLAY_INLINE void begin(const Args& a, const WgmmaScorePlace& p) {
        using Environment = std::remove_cv_t<decltype(a.env)>;
        const auto of_rows = [&]<class Part>(std::type_identity<Part>, float (&x)[2]) {
            const detail::WgmmaScalars<Part, float, Environment> scalars(a.env);
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h)
                x[h] = log2_base * detail::value_at<Part, detail::WgmmaReads::of_rows>(a, scalars, p, h, 0, 0.0f);
        };
        of_rows(std::type_identity<typename Linear::of_key>{}, slope);
        of_rows(std::type_identity<E>{}, origin);
        key = p.key;
    }
    /// `first`: the lane's first key of a block.
    __device__ INLAY_INLINE void move(int first) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) rest[h] = fmaf(slope[h], static_cast<float>(first - key), origin[h]);
    }
    __device__ INLAY_INLINE float value(float s, int i, int h) const { return of(s, i, h, rest[h]); }
    __device__ INLAY_INLINE float exponent_of_value(float value) const { return value; }
    __device__ INLAY_INLINE float exponent(float s, int i, int h, float shift) const {
        return of(s, i, h, rest[h] - shift);
    }

private:
    __device__ INLAY_INLINE float of(float s, int i, int h, float rest_of_row) const {
        return fmaf(s, by, fmaf(slope[h], static_cast<float>(i / 4 * 8 + i % 2), rest_of_row));
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
