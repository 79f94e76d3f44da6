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
#include <inlay/rewrite/planner/price.hpp>

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

template <class T>
struct symbols_in;
template <class S, class... A>
struct symbols_in<egraph::Term<S, A...>> {
    using type = unite_types<types<S>, typename symbols_in<A>::type...>;
};
template <class Terms>
struct symbols_in_all;
template <class... T>
struct symbols_in_all<types<T...>> {
    using type = unite_types<typename symbols_in<T>::type...>;
};

/// The kernels of a cover, written out, in the order in which they run.
struct KernelList {
    int count = 0;
    Kernel kernel[most_kernels] = {};
    std::int16_t arranged_by[most_values];  ///< the node that arranges another value's memory as this one; or −1
    std::int16_t last_use[most_values];     ///< the last kernel that reads this value's memory; −1: none, or a result
};
constexpr KernelList kernels_of(const Facts& facts, const Cuts& cuts, const Candidates& candidates, const Cover& cover) {
    KernelList list;
    for (int v = 0; v < most_values; ++v) list.arranged_by[v] = list.last_use[v] = -1;
    for (int i = 0; i < cover.kernels; ++i) {
        const Kernel k = expand(facts, cuts, candidates, cover.kernel[i]);
        if (arranges(facts, k)) list.arranged_by[k.output[0]] = static_cast<std::int16_t>(k.inside[0].node);
        else list.kernel[list.count++] = k;
    }
    const auto use = [&](int value, int kernel) {
        for (int v = value; v >= 0;) {
            list.last_use[v] = static_cast<std::int16_t>(kernel);
            v = list.arranged_by[v] < 0 ? -1 : facts.node[list.arranged_by[v]].operand[0];
        }
    };
    for (int k = 0; k < list.count; ++k)
        for (int i = 0; i < list.kernel[k].slots; ++i) use(list.kernel[k].slot[i], k);
    for (int i = 0; i < facts.roots; ++i) use(facts.root[i], -1);
    return list;
}

}  // namespace detail

template <class Layer, class Target, class LayerShape>
struct plan {
    using terms = typename detail::terms_of<decltype(Layer::graph())>::type;
    using symbols = typename detail::symbols_in_all<terms>::type;
    using graph_type = egraph::Graph<LayerLanguage<symbols, LayerShape>, 192>;

    static constexpr LayerGraph<graph_type> graph = layer_graph<graph_type>(terms{});
    static constexpr Facts facts = survey(graph.graph, graph.result, graph.results, Target::bytes);
    static constexpr Cuts cuts = find_cuts(facts);
    static constexpr Candidates candidates = find_candidates(facts, cuts);
    static constexpr Prices prices = price_all(facts, cuts, candidates, Target::info);
    static constexpr Covers covers = find_covers(facts, cuts, candidates, prices);
    static_assert(covers.best.exists, "inlay: no kernels of this library compute this layer: an operand, a sink or a "
                                      "placement by hand is one that no frame takes");
    static constexpr detail::KernelList list = detail::kernels_of(facts, cuts, candidates, covers.best);
    static constexpr const Kernel* kernels = list.kernel;
    static constexpr int launches = list.count;

    static constexpr int symbol_of(int node) {
        return graph.graph.node(static_cast<egraph::Id>(facts.node[node].source)).symbol;
    }
    /// The name of kernel k: of its core.
    static constexpr const char* name_of(int k) {
        return kernels[k].core < 0 ? "elementwise" : graph_type::symbol_name(symbol_of(kernels[k].core));
    }
};

}  // namespace inlay::inline INLAY_ABI::planner
