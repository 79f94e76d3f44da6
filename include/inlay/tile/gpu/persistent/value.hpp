// SPDX-License-Identifier: Apache-2.0
/// An epilogue's expression at values that are in registers: slots are numbers, not tensors.
#pragma once

#include <inlay/expr/leaf.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {
template <class E, class... X>
concept AppliesCoarsely = requires(X... x) { E::apply_coarsely(x...); };
template <class E, bool Coarse, class... X>
__device__ INLAY_INLINE float applied(X... x) {
    if constexpr (Coarse && AppliesCoarsely<E, X...>) return E::apply_coarsely(x...);
    else return E::apply(x...);
}
}  // namespace detail

/// Out and Buf<I> are values; operations are those of the expression, coarse ones where results are rounded to 16 bits.
template <class E, bool Coarse, int N>
__device__ INLAY_INLINE float value_of(float out, const float (&slots)[N]) {
    if constexpr (std::is_same_v<E, Out>) {
        return out;
    } else if constexpr (requires { E::slot; }) {
        static_assert(E::slot < N,
                      "inlay: an epilogue of a persistent program reads a slot that its phase does not have");
        return slots[E::slot];
    } else {
        static_assert(E::kind == NodeKind::pointwise,
                      "inlay: an epilogue of a persistent program is made of Out, slots and pointwise operations");
        return [&]<class... C>(types<C...>) {
            return detail::applied<E, Coarse>(value_of<C, Coarse>(out, slots)...);
        }(typename E::children{});
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
