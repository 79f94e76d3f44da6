// SPDX-License-Identifier: Apache-2.0
/// From a prepared kernel to its `KernelReport`: access classes and operations from its types, runs and bytes from its
/// extents.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/frame/base.hpp>
#include <inlay/plan/access/footprint.hpp>
#include <inlay/report/describe_attention.hpp>
#include <inlay/report/describe_norm.hpp>
#include <inlay/report/describe_product.hpp>
#include <inlay/report/describe_reduce.hpp>
#include <inlay/report/fusions.hpp>
#include <inlay/report/kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// Elements that may be read of a leaf: not more than any view above it hands out.
template <class Node, class Environment, class... V, int... K>
double elements_read(const Environment& env, types<path_step<V, K>...>) {
    double n = static_cast<double>(count(extents_of<Node>(env)));
    ((n = (std::min)(n, static_cast<double>(count(extents_of<V>(env))))), ...);
    return n;
}

template <class Environment, class... V, class Keys>
void note_elements(const Environment& env, SlotUse* use, Flat<types<V...>, Keys>);

template <class V, class Environment>
void note_value_elements(const Environment& env, SlotUse* use) {
    using Node = typename V::node;
    if constexpr (is_buf<Node>) {
        use[Node::slot].elements += elements_read<Node>(env, typename V::path{});
    } else if constexpr (Node::kind == NodeKind::view) {
        [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
            (note_elements(env, use, flatten<K, join_types<typename V::path, types<path_step<Node, I>>>>{}), ...);
        }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
    }
}
template <class Environment, class... V, class Keys>
void note_elements(const Environment& env, SlotUse* use, Flat<types<V...>, Keys>) {
    (note_value_elements<V>(env, use), ...);
}

/// The indices of a gather and tables of pages are read beside the path.
template <class N>
struct indices_of;
template <class T, int I, index_t A>
struct indices_of<node::Gather<T, Buf<I>, A>> {
    static constexpr int slot = I;
};
template <class P, int I>
struct indices_of<node::Paged<P, Buf<I>>> {
    static constexpr int slot = I;
};
template <class N>
void note_indices(SlotUse* use) {
    if constexpr (requires { indices_of<N>::slot; }) use[indices_of<N>::slot].used = true;
}
template <class N, class Environment>
void note_index_elements(const Environment& env, SlotUse* use) {
    if constexpr (requires { indices_of<N>::slot; })
        use[indices_of<N>::slot].elements +=
            static_cast<double>(count(env.template tensor<indices_of<N>::slot>().extents));
}

template <class B, int R>
void note_expression(const B& bound, const Extents<R>& domain, SlotUse* use) {
    using E = typename B::expression;
    if constexpr (R > 0) note_footprint(bound, domain, use);
    note_elements(bound.env, use, flatten<E>{});
    [&]<class... N>(types<N...>) {
        (note_indices<N>(use), ...);
        (note_index_elements<N>(bound.env, use), ...);
    }(nodes_of<E>{});
}

/// The slots of a kernel's expressions together.
template <class K, class Inputs = typename K::prologues>
struct frame_slots_of;
template <class K, class... In>
struct frame_slots_of<K, types<In...>> {
    static constexpr int tensors = Slots<In..., typename K::epilogue>::tensors;
};

/// True if a frame names this member of a target as the one it calls.
template <class K, class Member>
inline constexpr bool calls = false;
template <class K, class Member>
    requires requires { typename K::calls; }
inline constexpr bool calls<K, Member> = std::is_same_v<typename K::calls, Member>;

template <class T>
Operand operand(std::string name, const T& t, OperandKind kind) {
    Operand o;
    o.name = std::move(name);
    o.kind = kind;
    o.extents = text(t.extents);
    o.dtype = dtype_of<typename T::value_type>;
    if constexpr (T::rank > 0) o.run = t.extents.back(0);
    o.bytes = static_cast<double>(count(t.extents)) * static_cast<double>(bytes(o.dtype));
    return o;
}
inline Operand slot_operand(int slot, DType dtype, bool input, const SlotUse& use) {
    Operand o;
    o.name = "Buf<" + std::to_string(slot) + ">";
    o.kind = input ? OperandKind::input : OperandKind::epilogue;
    o.dtype = dtype;
    o.read = use.used;
    o.access_class = use.access_class;
    o.why = std::string(use.why);
    o.step = use.step;
    o.run = use.run;
    o.alignment = use.alignment;
    o.turned = use.turned();
    return o;
}
template <class T>
Operand slot_operand(int slot, const T& t, bool input, const SlotUse& use) {
    Operand o = slot_operand(slot, dtype_of<typename T::value_type>, input, use);
    const auto address = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(t.data) / bytes(o.dtype));
    const double all = static_cast<double>(count(t.extents));
    o.extents = text(t.extents);
    o.alignment = std::gcd(o.alignment, address);
    if (o.turned > 0) o.turned = std::gcd(o.turned, address);
    o.bytes = (std::min)(use.elements, all) * static_cast<double>(bytes(o.dtype));
    return o;
}

}  // namespace detail

/// The report of a prepared kernel. K: the struct that was prepared.
template <class K, class P>
KernelReport describe(const P& prepared) {
    using Epilogue = typename K::epilogue;
    using Sink = typename K::sink;
    KernelReport l;
    l.kernel = name<K>();
    l.frame = K::kind;
    l.epilogue = name<Epilogue>();
    l.sink = name<Sink>();
    l.extents = text(prepared.problem.out);
    l.flops = prepared.problem.flops;
    if constexpr (requires { K::schedule::m; }) l.schedule = name<typename K::schedule>();
    const auto& env = prepared.epilogue.env;
    const auto& outs = prepared.sink.outs;
    using Outs = std::remove_cvref_t<decltype(outs)>;
    constexpr int slots = std::remove_cvref_t<decltype(env)>::tensors::size;
    l.dtype = dtype_of<typename std::remove_cvref_t<decltype(get<0>(outs))>::value_type>;
    const std::size_t element = bytes(l.dtype);

    detail::SlotUse use[room_for<slots>];
    [&]<class... In, int... I>(types<In...>, std::integer_sequence<int, I...>) {
        ((l.inputs.push_back(name<In>()), note_access_class<In>(l), l.operations += operations_of<In>,
          l.special += special_functions_of<In>, detail::note_expression(get<I>(prepared.in), extents_of<In>(env), use),
          detail::note_fusions<In>(env, element, l.fusions)),
         ...);
    }(typename K::prologues{}, std::make_integer_sequence<int, K::prologues::size>{});
    // The last operation of a kernel that is nothing else is the kernel itself.
    if constexpr (requires { requires K::fills; })
        if (!l.fusions.empty()) l.fusions.pop_back();
    bool input[room_for<slots>] = {};
    for (int i = 0; i < slots; ++i) input[i] = use[i].used;
    detail::note_expression(prepared.epilogue, prepared.problem.out, use);
    detail::note_fusions<Epilogue>(env, element, l.fusions);

    if (l.flops == 0) l.flops = static_cast<double>(l.operations) * static_cast<double>(count(prepared.problem.out));

    [&]<int... I>(std::integer_sequence<int, I...>) {
        (l.operands.push_back(detail::slot_operand(I, env.template tensor<I>(), input[I], use[I])), ...);
    }(std::make_integer_sequence<int, slots>{});
    double read = 0;
    for (const Operand& o : l.operands)
        if (o.kind == OperandKind::input) read += o.bytes;
    detail::note_sink_fusions<Sink>(outs, env, element, read, l.fusions);
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (l.operands.push_back(
             detail::operand("weight " + std::to_string(I), get<I>(prepared.weights), OperandKind::weight)),
         ...);
    }(std::make_integer_sequence<int, K::weights>{});
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (l.operands.push_back(detail::operand("Store<" + std::to_string(I) + ">", get<I>(outs), OperandKind::output)),
         ...);
    }(std::make_integer_sequence<int, Outs::size>{});

    if constexpr (detail::calls<K, rows_member> || detail::calls<K, group_norm_member>) describe_norm<K>(prepared, l);
    if constexpr (detail::calls<K, reduce_member> || detail::calls<K, map_member>) describe_reduce<K>(prepared, l);
    if constexpr (detail::calls<K, matmul_member>) describe_product<K>(prepared, l);
    if constexpr (requires { prepared.problem.keys; }) describe_attention<K>(prepared, l);
    return l;
}

}  // namespace inlay::inline INLAY_ABI
