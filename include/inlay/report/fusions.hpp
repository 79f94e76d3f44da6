// SPDX-License-Identifier: Apache-2.0
/// The savings of fusion: the operations of a kernel that a runtime without fusion would launch on their own, each with
/// the intermediate it would write and the next would read again.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/expr/sink/partition.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/sink/scatter.hpp>
#include <inlay/expr/sink/strided.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/report/kernel.hpp>

#include <string>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// A bias, a factor of the columns of sums, or a cast: part of the store of the operation before.
template <class N, class Environment>
inline constexpr bool comes_with_layer = false;
template <class A, int I, class Environment>
inline constexpr bool comes_with_layer<Add<A, Buf<I>>, Environment> = rank_of<Buf<I>, Environment> == 1;
template <int I, class Environment>
inline constexpr bool comes_with_layer<Mul<Out, Buf<I>>, Environment> = rank_of<Buf<I>, Environment> == 1;

template <class E, Storage D, class Environment>
inline constexpr bool comes_with_layer<Cast<E, D>, Environment> = true;

template <class N>
inline constexpr bool reorders = false;
template <class E, index_t... P>
inline constexpr bool reorders<node::Permute<E, P...>> = true;
template <class E, index_t A, index_t B>
inline constexpr bool reorders<node::Transpose<E, A, B>> = true;
template <class S, index_t... P>
inline constexpr bool reorders<node::Permuted<S, P...>> = true;
template <class S, index_t A, index_t N, index_t O>
inline constexpr bool reorders<node::Strided<S, A, N, O>> = true;
template <class S, class I, index_t A>
inline constexpr bool reorders<node::Scatter<S, I, A>> = true;

template <class S>
inline constexpr int parts_of = 0;
template <index_t A, class... S>
inline constexpr int parts_of<node::Partition<A, S...>> = static_cast<int>(sizeof...(S));

/// True if a runtime without fusion would launch a node on its own. A bias, the addition of a vector, comes with the
/// layer, a factor of its columns with its weights, and a cast with a layer's result; slices, reshapes and broadcasts
/// only change the view of memory; a value without axes is a number.
template <class N, class Environment>
constexpr bool is_launch() {
    if constexpr (N::kind == NodeKind::pointwise)
        return !comes_with_layer<N, Environment> && rank_of<N, Environment> > 0;
    else if constexpr (N::kind == NodeKind::view) return view_access_class<N> >= AccessClass::piecewise || reorders<N>;
    else return false;
}

template <class N, class Environment>
void note_fusion(const Environment& env, std::size_t element, std::vector<Fusion>& to) {
    if constexpr (is_launch<N, Environment>())
        to.push_back({std::string(template_name<N>()),
                      2.0 * static_cast<double>(element) * static_cast<double>(count(extents_of<N>(env)))});
}
template <class E, class Environment>
void note_fusions(const Environment& env, std::size_t element, std::vector<Fusion>& to) {
    [&]<class... N>(types<N...>) { (note_fusion<N>(env, element, to), ...); }(nodes_of<E>{});
}

/// A partition saves the products it joins, each of which would read the input again.
template <class N, class Outs, class Environment>
void note_sink_fusion(const Outs& outs, const Environment& env, std::size_t element, double input,
                      std::vector<Fusion>& to) {
    if constexpr (reorders<N>)
        to.push_back({std::string(template_name<N>()),
                      2.0 * static_cast<double>(element) * static_cast<double>(count(sink_extents<N>(outs, env)))});
    for (int i = 1; i < parts_of<N>; ++i) to.push_back({std::string(template_name<N>()), input});
}
template <class S, class Outs, class Environment>
void note_sink_fusions(const Outs& outs, const Environment& env, std::size_t element, double input,
                       std::vector<Fusion>& to) {
    [&]<class... N>(types<N...>) { (note_sink_fusion<N>(outs, env, element, input, to), ...); }(nodes_of<S>{});
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
