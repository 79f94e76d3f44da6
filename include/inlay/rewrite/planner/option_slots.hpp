// SPDX-License-Identifier: Apache-2.0
/// Slots in the options of an attention: a mask, score or row that reads tensors names them Buf<3>, Buf<4>, … after Q,
/// K and V, as the frame does. In a layer they are operands, and a kernel has them at slots of its own.
#pragma once

#include <inlay/rewrite/rebuild.hpp>

namespace inlay::inline INLAY_ABI::planner::detail {

/// Slots from Buf<3> on are Tensor...; the others stay.
template <class... Tensor>
struct OptionSlots {
    template <class E>
    static constexpr bool touches = Slots<E>::tensors > 3;
    template <class L>
    struct slot {
        using type = L;
    };
    template <int I>
        requires(I >= 3)
    struct slot<Buf<I>> {
        using type = type_at<I - 3, types<Tensor...>>;
    };
    template <class L>
    using leaf = typename slot<L>::type;
    template <auto V>
    static constexpr auto value = V;
};

/// An option that takes an expression, such as mask::If<…>, over other tensors; any other option is itself.
template <class Option, class Map>
struct bound_option {
    using type = Option;
};
template <template <class> class Option, Expr E, class Map>
struct bound_option<Option<E>, Map> {
    using type = Option<typename inlay::rules::detail::mapped<E, Map>::type>;
};
template <class Option, class... Tensor>
using option_over = typename bound_option<Option, OptionSlots<Tensor...>>::type;

template <class Option>
struct option_expression : Slots<> {};
template <template <class> class Option, Expr E>
struct option_expression<Option<E>> : Slots<E> {};
/// Tensors that options read after Q, K and V.
template <class... Option>
inline constexpr int option_tensors = inlay::detail::max_of({3, option_expression<Option>::tensors...}) - 3;
template <class... Option>
inline constexpr int option_scalars = (0 + ... + option_expression<Option>::scalars);

}  // namespace inlay::inline INLAY_ABI::planner::detail
