// SPDX-License-Identifier: Apache-2.0
/// From a prepared kernel to its `Launch`: rungs and operations from its types, runs and bytes from its extents.
#pragma once

#include <inlay/kernel/frame.hpp>
#include <inlay/plan/launch.hpp>
#include <inlay/plan/reach.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class V, class Environment>
double elements_read(const Environment& env) {
    // Not more than the outermost view hands out, nor than the tensor holds.
    if constexpr (std::is_same_v<typename V::path, types<>>) {
        return static_cast<double>(count(extents_of<typename V::node>(env)));
    } else {
        return []<class W, int K, class... S>(const Environment& e, types<step<W, K>, S...>) {
            double n = static_cast<double>(count(extents_of<W>(e)));
            return n;
        }(env, typename V::path{});
    }
}

template <class E, class Environment>
void note_elements(const Environment& env, SlotUse* use) {
    const auto visit = [&]<class V>(V) {
        if constexpr (is_buf<typename V::node>) use[V::node::slot].elements += elements_read<V>(env);
    };
    const auto list = [&]<class... V, class Keys>(auto&& self, Flat<types<V...>, Keys>) -> void {
        const auto each = [&]<class W>(W v) {
            using Node = typename W::node;
            if constexpr (Node::kind == NodeKind::view) {
                [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
                    (self(self, flatten<at<I, types<K...>>, join<typename W::path, types<step<Node, I>>>>{}), ...);
                }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
            } else {
                visit(v);
            }
        };
        (each(V{}), ...);
    };
    list(list, flatten<E>{});
}

template <class N, class Environment>
inline constexpr bool is_bias = false;
template <class A, int I, class Environment>
inline constexpr bool is_bias<Add<A, Buf<I>>, Environment> = rank_of<Buf<I>, Environment> == 1;

template <class N>
inline constexpr bool is_permute = false;
template <class E, index_t... P>
inline constexpr bool is_permute<node::Permute<E, P...>> = true;

/// Whether a runtime without fusion would launch a node on its own. A bias, the addition of a vector, comes with the
/// layer; slices, reshapes and broadcasts only change how memory is seen; what has no axes is a number.
template <class N, class Environment>
constexpr bool is_launch() {
    if constexpr (N::kind == NodeKind::pointwise) return !is_bias<N, Environment> && rank_of<N, Environment> > 0;
    else if constexpr (N::kind == NodeKind::view) return view_rung<N> >= Rung::piecewise || is_permute<N>;
    else return false;
}

template <class N, class Environment>
void note_fusion(const Environment& env, std::size_t element, std::vector<Fusion>& to) {
    if constexpr (is_launch<N, Environment>())
        to.push_back({std::string(template_name(raw_name<N>())),
                      2.0 * static_cast<double>(element) * static_cast<double>(count(extents_of<N>(env)))});
}

template <class E, class Environment>
void note_fusions(const Environment& env, std::size_t element, std::vector<Fusion>& to) {
    [&]<class... N>(types<N...>) { (note_fusion<N>(env, element, to), ...); }(nodes_of<E>{});
}

template <class S, class Outs>
void note_sink_fusions(const Outs& outs, std::vector<Fusion>& to) {
    const auto visit = [&]<class N>(types<N>) {
        if constexpr (!is_store<N> && !is_stats<N>) {
            const std::string_view kind = template_name(raw_name<N>());
            if (kind == "Permuted" || kind == "Strided") {
                const auto e = sink_extents<N>(outs);
                const std::size_t element = bytes(dtype_of<typename std::remove_cvref_t<decltype(get<0>(outs))>::value_type>);
                to.push_back({std::string(kind), 2.0 * static_cast<double>(element) * static_cast<double>(count(e))});
            }
        }
    };
    [&]<class... N>(types<N...>) { (visit(types<N>{}), ...); }(nodes_of<S>{});
}

template <class T>
Operand operand(std::string name, const T& t, bool expression) {
    const DType d = dtype_of<typename T::value_type>;
    return {std::move(name), text(t.extents), d, expression, false, Rung::plain, t.extents.rank > 0 ? t.extents.back(0) : 1,
            static_cast<double>(count(t.extents)) * static_cast<double>(bytes(d))};
}

}  // namespace detail

/// What a prepared kernel is and moves. K: the struct that was prepared.
template <class K, class P>
Launch describe(const P& prepared) {
    Launch l;
    l.kernel = name<K>();
    l.frame = K::kind;
    l.epilogue = name<typename K::epilogue>();
    l.sink = name<typename K::sink>();
    l.extents = text(prepared.problem.out);
    l.flops = prepared.problem.flops;
    if constexpr (requires { K::schedule::m; }) l.schedule = name<typename K::schedule>();
    const auto& env = prepared.epilogue.env;
    using Environment = std::remove_cvref_t<decltype(env)>;
    constexpr int slots = Environment::tensors::size;
    using Outs = std::remove_cvref_t<decltype(prepared.sink.outs)>;
    l.dtype = dtype_of<typename std::remove_cvref_t<decltype(get<0>(prepared.sink.outs))>::value_type>;
    const std::size_t element = bytes(l.dtype);

    detail::SlotUse use[slots > 0 ? slots : 1];
    [&]<class... In, int... I>(types<In...>, std::integer_sequence<int, I...>) {
        ((l.inputs.push_back(name<In>()), l.rung = detail::worse(l.rung, rung_of<In>),
          l.operations += operations_of<In>, l.special += special_functions_of<In>,
          detail::note_row(get<I>(prepared.in), extents_of<In>(env), use, nullptr),
          detail::note_elements<In>(env, use), detail::note_fusions<In>(env, element, l.fusions)),
         ...);
    }(typename K::prologues{}, std::make_integer_sequence<int, K::prologues::size>{});
    bool input[slots > 0 ? slots : 1] = {};
    for (int i = 0; i < slots; ++i) input[i] = use[i].used;
    const float nothing = 0;
    detail::note_row(prepared.epilogue, prepared.problem.out, use, &nothing);
    detail::note_elements<typename K::epilogue>(env, use);
    detail::note_fusions<typename K::epilogue>(env, element, l.fusions);
    detail::note_sink_fusions<typename K::sink>(prepared.sink.outs, l.fusions);

    [&]<int... I>(std::integer_sequence<int, I...>) {
        const auto note = [&](int i, const auto& t) {
            Operand o = detail::operand("Buf<" + std::to_string(i) + ">", t, true);
            o.input = input[i];
            o.rung = use[i].rung;
            o.run = use[i].run;
            const double all = static_cast<double>(count(t.extents));
            if (use[i].elements < all) o.bytes *= use[i].elements / all;
            l.operands.push_back(o);
        };
        (note(I, env.template tensor<I>()), ...);
    }(std::make_integer_sequence<int, slots>{});
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (l.operands.push_back(detail::operand("weight " + std::to_string(I), get<I>(prepared.weights), false)), ...);
    }(std::make_integer_sequence<int, K::weights>{});
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (l.operands.push_back(detail::operand("Store<" + std::to_string(I) + ">", get<I>(prepared.sink.outs), false)), ...);
    }(std::make_integer_sequence<int, Outs::size>{});

    if constexpr (requires { prepared.problem.m; }) {
        l.batch = 1;
        l.m = prepared.problem.m;
        l.n = prepared.problem.n;
        l.k = prepared.problem.k;
        if constexpr (requires { prepared.problem.batch; }) l.batch = prepared.problem.batch;
        if constexpr (requires { K::window::rows; }) {
            l.batch = K::window::groups;
            l.k *= K::window::rows * K::window::cols;
        }
    }
    return l;
}

}  // namespace inlay::inline INLAY_ABI
