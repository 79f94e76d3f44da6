// SPDX-License-Identifier: Apache-2.0
/// Scores that are linear in the product of query and key and in the number of the key, as with slopes or a
/// temperature: what changes from row to row alone is computed once for all scores of a row, and a score takes two
/// operations.
#pragma once

#include <inlay/plan/attention/online/dependence.hpp>
#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/cuda/wgmma/attention/score_leaves.hpp>
#include <inlay/tile/gpu/attention/quick_score.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <class A, class B>
struct sum_of_parts {
    using type = Add<A, B>;
};
template <class A>
struct sum_of_parts<A, Const<0>> {
    using type = A;
};
template <class B>
struct sum_of_parts<Const<0>, B> {
    using type = B;
};
template <>
struct sum_of_parts<Const<0>, Const<0>> {
    using type = Const<0>;
};
template <class A, class B>
using sum_of = typename sum_of_parts<A, B>::type;
template <class A, class By>
using times = std::conditional_t<std::is_same_v<A, Const<0>>, A,
                                 std::conditional_t<std::is_same_v<A, Const<1>>, By, Mul<A, By>>>;
template <class A>
using negated = std::conditional_t<std::is_same_v<A, Const<0>>, A, Neg<A>>;

template <class Nodes>
inline constexpr bool has_product = false;
template <class... N>
inline constexpr bool has_product<types<N...>> = (std::is_same_v<N, Out> || ...);
/// True of an expression that is the same for all keys of a row, where no tensor varies along the keys.
template <class E>
inline constexpr bool of_row = !has_product<nodes_of<E>> && !online::reads_key<E>;

/// E as of_product · Out + of_key · key + the rest, all three of the row alone.
template <class E>
struct LinearScore {
    static constexpr bool possible = of_row<E>;
    using of_product = Const<0>;
    using of_key = Const<0>;
};
template <>
struct LinearScore<Out> {
    static constexpr bool possible = true;
    using of_product = Const<1>;
    using of_key = Const<0>;
};
template <int Axis>
    requires is_key_number<Coord<Axis>>
struct LinearScore<Coord<Axis>> {
    static constexpr bool possible = true;
    using of_product = Const<0>;
    using of_key = Const<1>;
};
template <class A, class B>
struct LinearScore<Add<A, B>> {
    static constexpr bool possible = LinearScore<A>::possible && LinearScore<B>::possible;
    using of_product = sum_of<typename LinearScore<A>::of_product, typename LinearScore<B>::of_product>;
    using of_key = sum_of<typename LinearScore<A>::of_key, typename LinearScore<B>::of_key>;
};
template <class A>
struct LinearScore<Neg<A>> {
    static constexpr bool possible = LinearScore<A>::possible;
    using of_product = negated<typename LinearScore<A>::of_product>;
    using of_key = negated<typename LinearScore<A>::of_key>;
};
template <class A, class B>
struct LinearScore<Sub<A, B>> : LinearScore<Add<A, Neg<B>>> {};
template <class A, class By>
struct LinearProduct {
    static constexpr bool possible = LinearScore<A>::possible;
    using of_product = times<typename LinearScore<A>::of_product, By>;
    using of_key = times<typename LinearScore<A>::of_key, By>;
};
template <class A, class B>
    requires of_row<B>
struct LinearScore<Mul<A, B>> : LinearProduct<A, B> {};
template <class A, class B>
    requires(of_row<A> && !of_row<B>)
struct LinearScore<Mul<A, B>> : LinearProduct<B, A> {};
template <class A, class B>
    requires of_row<B>
struct LinearScore<Div<A, B>> : LinearProduct<A, Div<Const<1>, B>> {};

template <class E>
inline constexpr float positive_number = 0.0f;
template <inlay::detail::Real V>
    requires(inlay::detail::value_of(V) > 0)
inline constexpr float positive_number<node::Const<V>> = static_cast<float>(inlay::detail::value_of(V));

}  // namespace detail

/// True if scores of the form rise or fall along the keys by the same number from key to key. Blocks of keys are then
/// visited from the last one on: ALiBi's are greatest there, and no maximum grows later.
template <class Algebra, class T, bool OfRows>
inline constexpr bool visits_last_keys_first = [] {
    using Linear = detail::LinearScore<flash::QuickScore<typename Algebra::score, T>>;
    if constexpr (!OfRows || !Linear::possible) return false;
    else return !std::is_same_v<typename Linear::of_key, Const<0>>;
}();

/// Exponents of 2 of scores that are linear in product and key, for registers that still have products: by · product +
/// slope · key + a number of the row, in two operations with the maximum subtracted. Products are multiplied by a
/// positive constant, so that a hidden key's is -infinity as its score.
template <class E, class Algebra>
struct WgmmaLinearExponents {
    using Linear = detail::LinearScore<E>;
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
