// SPDX-License-Identifier: Apache-2.0
/// SiLU of an affine input, x·s + t, as it is computed where s and t are vectors that are the same for many x. SiLU
/// begins with half of its argument, and x·(s/2) + t/2 is that to the bit: vectors are halved once, not each element.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/eval.hpp>
#include <inlay/expr/unary.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// SiLU of twice its argument.
template <class E>
struct SiluOfHalf : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& half) {
        return Silu<E>::coarsely_of_half(half);
    }
};

/// True if E is a tensor, or views of one.
template <class List>
inline constexpr bool one_tensor = false;
template <class V>
inline constexpr bool one_tensor<types<V>> = inlay::detail::is_buf<typename V::node>;
template <class E>
inline constexpr bool is_tensor_view = one_tensor<typename flatten<E>::values>;

/// The expression evaluated for E, over halved vectors or not. `Copied`: a bit for each leaf that is no vector.
template <class E, unsigned Copied>
struct Halved {
    using expression = E;
    static constexpr bool vectors = false;
};
template <class A, class B, class T, unsigned Copied>
    requires(is_tensor_view<A> && is_tensor_view<B> && is_tensor_view<T> && !std::is_same_v<A, B> &&
             !std::is_same_v<A, T> && !std::is_same_v<B, T> && (Copied == 1u || Copied == 2u))
struct Halved<Silu<Add<Mul<A, B>, T>>, Copied> {
    using expression = SiluOfHalf<Add<Mul<A, B>, T>>;
    static constexpr bool vectors = true;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
