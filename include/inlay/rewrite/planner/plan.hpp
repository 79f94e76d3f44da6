// SPDX-License-Identifier: Apache-2.0
/// The plan of a layer: its kernels, chosen at compile time for a target and a shape, of the least price.
///
///     struct block {
///         static constexpr auto graph() { return resnet<dim<3>, dim<3>>(input<0, dim<0>, dim<1>, dim<2>, dim<3>>); }
///     };
///     using planned = planner::plan<block, planner::on_host<4>, planner::Shape<2, 64, 64, 320>>;
///     static_assert(planned::launches == 4);
///
/// Each pass is a constant of its own, so that none exceeds what compilers allow one.
#pragma once

#include <inlay/plan/device.hpp>
#include <inlay/rewrite/planner/cover.hpp>
#include <inlay/rewrite/planner/layer_graph.hpp>
#include <inlay/rewrite/planner/cost/price.hpp>
#include <inlay/rewrite/planner/planned/memory.hpp>

#include <string_view>

namespace inlay::inline INLAY_ABI::planner {

/// Targets of plans, with the bytes of a stored element.
template <int Bytes>
struct on_host {
    static constexpr const TargetInfo& info = host_target;
    static constexpr int bytes = Bytes;
};
template <int Bytes>
struct on_sm90a {
    static constexpr const TargetInfo& info = sm90a_target;
    static constexpr int bytes = Bytes;
};

namespace detail {

/// Names of weights, by symbol; of other symbols none.
template <class S>
inline constexpr std::string_view weight_name{};
template <class Text, Field F, Layout L, Dim... D>
inline constexpr std::string_view weight_name<WeightSymbol<Text, F, L, D...>> = Text::view();
template <class Symbols>
inline constexpr std::string_view weight_names[1] = {};
template <class... S>
    requires(sizeof...(S) > 0)
inline constexpr std::string_view weight_names<types<S...>>[sizeof...(S)] = {weight_name<S>...};

/// The number of the last axis that a symbol names; −1: none.
template <class S>
inline constexpr int last_axis = -1;
template <Dim... D>
inline constexpr int last_axis_of = inlay::detail::max_of({-1, parts_of(D).axis...});
template <int I, Phase P, Dim... D>
inline constexpr int last_axis<InputSymbol<I, P, D...>> = last_axis_of<D...>;
template <class Text, Field F, Layout L, Dim... D>
inline constexpr int last_axis<WeightSymbol<Text, F, L, D...>> = last_axis_of<D...>;
template <Dim H, Dim W>
inline constexpr int last_axis<Image<H, W>> = last_axis_of<H, W>;
template <auto D>
inline constexpr int last_axis<Heads<D>> = last_axis_of<as_dim(D)>;
template <auto D, class... Option>
inline constexpr int last_axis<core::Attention<D, Option...>> = last_axis_of<as_dim(D)>;
template <class... S>
constexpr bool has_axes(types<S...>, int axes) {
    return ((last_axis<S> < axes) && ...);
}

constexpr bool returns_what_is_given(const Facts& facts) {
    for (int i = 0; i < facts.roots; ++i)
        if (facts.is_given(facts.root[i])) return true;
    return false;
}
/// A result that strides arrange, and that no kernel writes beside a core.
constexpr bool returns_gaps(const Facts& facts) {
    for (int i = 0; i < facts.roots; ++i)
        if (facts.node[facts.first[facts.root[i]]].symbol.gaps != 0) return true;
    return false;
}

}  // namespace detail

/// Rules: a list of types of `egraph`, which are applied to the layer until nothing new is equal.
template <class Layer, class Target, class LayerShape, class Rules = types<>>
struct plan {
    using layer = Layer;
    using target = Target;
    using shape = LayerShape;
    using rules = Rules;
    using terms = typename detail::terms_of<decltype(Layer::graph())>::type;
    using symbols = egraph::symbols_of<terms, Rules>;
    static_assert(detail::has_axes(symbols{}, LayerShape::lengths.axes),
                  "inlay: a layer names more axes than the Shape of its plan has lengths");
    using graph_type = egraph::Graph<LayerLanguage<symbols, LayerShape>, most_graph_nodes>;

    static constexpr LayerGraph<graph_type, Rules::size> graph = layer_graph<graph_type, Rules>(terms{});
    static_assert(graph.graph.conflict().a == egraph::none, "inlay: equal values of a layer have other "
                  "extents, by a wrong rule, or other placements by hand: materialize or fuse, not both");
    static constexpr Facts facts = survey(graph.graph, graph.result, graph.results, Target::bytes);
    static_assert(!facts.lost, "inlay: a layer has at most 128 values, 240 nodes and 8 results, with those that its "
                               "rules add: plan it in parts, or with fewer rules");
    static_assert(!detail::returns_what_is_given(facts), "inlay: a result of a layer is an input or a weight as it is, "
                                                         "or known at load: a layer returns what its kernels compute");
    static constexpr Cuts cuts = find_cuts(facts);
    static constexpr Candidates candidates = find_candidates(facts, cuts);
    static constexpr Prices prices = price_all(facts, cuts, candidates, Target::info);
    static constexpr Covers covers = find_covers(facts, cuts, candidates, prices);
    static_assert(covers.best.exists || !detail::returns_gaps(facts),
                  "inlay: no kernel stores a part that its layer returns, nor heads of pixels: return "
                  "slice_last<First, Columns>, or heads of tokens");
    static_assert(covers.best.exists, "inlay: no kernels of this library compute this layer: an operand, a sink or a "
                                      "placement by hand is one that no frame takes");
    static constexpr detail::KernelList list = detail::kernels_of(facts, cuts, candidates, covers.best);
    static constexpr const Kernel* kernels = list.kernel;
    static constexpr int launches = list.count;
    /// Bytes and offsets of the tensors between the kernels of each step, for the shape of the plan.
    static constexpr Memory memory = place(facts, list, Phase::step);
    static constexpr std::int64_t peak_bytes = memory.bytes;

    static constexpr int symbol_of(int node) {
        return graph.graph.node(static_cast<egraph::Id>(facts.node[node].source)).symbol;
    }
    /// The name of kernel k: the module of its first weight, else its frame.
    static constexpr std::string_view name_of(int k) { return name_of(kernels[k]); }
    static constexpr std::string_view name_of(const Kernel& kernel) {
        if (kernel.core < 0) return "elementwise";
        const std::string_view module = kernel.weights == 0 ? "" : module_of(facts.first[kernel.weight[0]]);
        return module.empty() ? std::string_view(graph_type::symbol_name(symbol_of(kernel.core))) : module;
    }

private:
    static constexpr std::string_view module_of(int node) {
        const std::string_view module = detail::weight_names<symbols>[symbol_of(node)];
        const NodeFacts& n = facts.node[node];
        return module.empty() && n.operands > 0 ? module_of(facts.first[n.operand[0]]) : module;
    }
};

}  // namespace inlay::inline INLAY_ABI::planner
