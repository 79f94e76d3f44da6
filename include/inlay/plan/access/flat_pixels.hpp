// SPDX-License-Identifier: Apache-2.0
/// Pixels of [B, ..., C] by one number: where every tensor of a kernel has the axes between the first and the last
/// dense or broadcast, the last of them counts all pixels and no coordinate needs a division.
#pragma once

#include <inlay/expr/view/concat.hpp>
#include <inlay/plan/access/stored.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class V, int R>
inline constexpr bool flat_view = false;
template <auto Axis, class... E, int R>
inline constexpr bool flat_view<node::Concat<Axis, E...>, R> = [] {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(Axis)>, ParamSlot>) return false;
    else return Axis == -1 || Axis == R - 1;
}();
template <int R, class... N>
constexpr bool flat_nodes(types<N...>) {
    return ((N::kind == NodeKind::view ? flat_view<N, R> : !is_coord<N>) && ...);
}

/// True where a tensor read along [B, ..., C] of extents e has its pixel axes dense among themselves, or is the same
/// for all.
template <class T, int R>
constexpr bool flat_tensor(const T& t, const Extents<R>& e) {
    constexpr int skip = R - T::rank;
    bool dense = true, same = true;
    index_t pixels = 1;
    for (int i = R - 2; i > 0; pixels *= e[i--]) {
        const index_t n = i < skip ? 1 : t.extents[i - skip];
        same &= n == 1;
        dense &= n == e[i] && (n == 1 || t.strides[i - skip] == t.strides[R - 2 - skip] * pixels);
    }
    return same || dense;
}
template <class N, class Env, int R>
constexpr bool flat_leaf(const Env& env, const Extents<R>& e) {
    if constexpr (is_buf<N>) return flat_tensor(env.template tensor<N::slot>(), e);
    else return true;
}
template <class Env, int R, class... N>
constexpr bool flat_leaves(const Env& env, const Extents<R>& e, types<N...>) {
    return (flat_leaf<N>(env, e) && ...);
}

}  // namespace detail

/// True where the types of an expression allow flat pixels: views of the last axis alone.
template <class E, int R>
inline constexpr bool flat_expression = detail::flat_nodes<R>(nodes_of<E>{});
template <class S>
inline constexpr bool flat_sink = detail::stored_slot<S> >= 0;

/// True where a bound expression over e, whose type allows them, has flat pixels.
template <class B, int R>
constexpr bool flat_pixels(const B& bound, const Extents<R>& e) {
    return detail::flat_leaves(bound.env, e, nodes_of<typename B::expression>{});
}
template <class S, class Outs, int R>
constexpr bool flat_pixels(const BoundSink<S, Outs>& sink, const Extents<R>& e) {
    return detail::flat_tensor(get<detail::stored_slot<S>>(sink.outs), e);
}
/// True where the last pixel axis can count all pixels: one of extent 1 is pinned to 0 by broadcasting.
template <int R>
constexpr bool flat_extents(const Extents<R>& e) {
    return R == 2 || e[R - 2] > 1 || count(e) == e[0] * e[R - 1];
}

}  // namespace inlay::inline INLAY_ABI
