// SPDX-License-Identifier: Apache-2.0
/// Weights of a planned layer on their way from the file to where its kernels read them.
#pragma once

#include <inlay/exec/packed.hpp>
#include <inlay/expr/slots.hpp>
#include <inlay/nn/host_pool.hpp>
#include <inlay/nn/planned/loaded.hpp>
#include <inlay/rewrite/planner/emit.hpp>
#include <inlay/rewrite/planner/language.hpp>
#include <inlay/rewrite/planner/load/symbol.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::nn::detail {

using planner::ClassData;
using planner::Lengths;

/// The forms in which a kernel reads a weight: a tensor, packed for a product, packed in pairs for a gated product.
enum class Form : unsigned char { plain, packed, paired };

/// A weight in the target's memory. `panel_columns`: of a packed one.
struct KeptWeight {
    const void* data = nullptr;
    int panel_columns = 0;
};
/// Weights of a layer by value and form: one that several kernels read is loaded once.
using Weights = std::map<std::pair<int, Form>, KeptWeight>;
/// Those of several plans of a layer, by term and form.
using LoadedWeights = std::map<std::pair<TermKey, Form>, KeptWeight>;

/// Storage of a value of a layer of T: that, or fp32 where it has more bytes.
template <class Plan, Storage T, int V>
using stored_as = std::conditional_t<(Plan::facts.value[V].bytes > static_cast<int>(sizeof(T))), float, T>;

/// A tensor in host memory; without elements where nothing is read.
template <Storage T>
struct HostTensor {
    ClassData data;
    HostArray<T> elements;
};

/// Symbols of weights from the file.
template <class S>
inline constexpr bool is_file_weight = false;
template <class Text, planner::Field F, planner::Layout L, planner::Dim... D>
inline constexpr bool is_file_weight<planner::WeightSymbol<Text, F, L, D...>> = true;

/// Reads a weight; a filter [O, I, R, S] comes as [O, R, S, I].
template <class S, Storage T, class L>
HostTensor<T> read_weight(const L& load, const Lengths& lengths) {
    HostTensor<T> r{planner::detail::data_of<S>::make(nullptr, lengths), {}};
    const std::vector<index_t> shape(r.data.extents, r.data.extents + r.data.rank);
    r.elements = load.on_host(std::string(S::text) + std::string(suffix(S::field)), shape);
    if constexpr (S::layout == planner::Layout::filter) {
        const index_t o = shape[0], i = shape[1], taps = shape[2] * shape[3];
        auto ordered = r.elements.like();
        const HostArray<T> from = std::exchange(r.elements, std::move(ordered));
        const T* filter = from.data();
        T* to = r.elements.data();
        load.each(from.empty() ? 0 : o, [&](index_t n) {
            for (index_t c = 0; c < i; ++c)
                for (index_t tap = 0; tap < taps; ++tap)
                    to[(n * taps + tap) * i + c] = filter[(n * i + c) * taps + tap];
        });
        r.data.extents[1] = shape[2];
        r.data.extents[2] = shape[3];
        r.data.extents[3] = i;
    }
    return r;
}

template <int R, Storage T>
Tensor<const T, R> as_tensor(const HostTensor<T>& t) {
    Extents<R> e;
    for (int i = 0; i < R; ++i) e[i] = t.data.extents[i];
    return {t.elements.data(), e};
}

/// The memory in which value V lies: that of another, where it is an arrangement.
template <class Plan>
constexpr int memory_of(int v) {
    while (Plan::list.arranged_by[v] >= 0) v = Plan::facts.node[Plan::list.arranged_by[v]].operand[0];
    return v;
}

/// The number of times that a value of the load phase is loaded: by kernels, and for each value that is computed of it.
template <class Plan>
constexpr int loads_of(int v) {
    int n = 0;
    for (int k = 0; k < Plan::launches; ++k) {
        for (int i = 0; i < Plan::kernels[k].weights; ++i) n += Plan::kernels[k].weight[i] == v;
        for (int i = 0; i < Plan::kernels[k].slots; ++i) n += memory_of<Plan>(Plan::kernels[k].slot[i]) == v;
    }
    for (int u = v + 1; u < Plan::facts.values; ++u) {
        const planner::NodeFacts& node = Plan::facts.node[Plan::facts.first[u]];
        if (Plan::facts.value[u].phase != 0 || node.symbol.role != planner::Role::weight) continue;
        for (int i = 0; i < node.operands; ++i)
            if (node.operand[i] == v) n += loads_of<Plan>(u);
    }
    return n;
}
/// Weights of the file that are loaded several times, by value: read once, until the layer is loaded.
template <Storage T>
using ReadOnce = std::map<int, HostTensor<T>>;

/// A value of the load phase: a weight of the file, or computed from others.
template <class Plan, int V, Storage T, class L>
HostTensor<stored_as<Plan, T, V>> load_value(const L& load, const Lengths& lengths, ReadOnce<T>& read) {
    constexpr int node = Plan::facts.first[V];
    using S = planner::detail::symbol_at<Plan, node>;
    if constexpr (is_file_weight<S>) {
        if constexpr (loads_of<Plan>(V) > 1) {
            auto known = read.find(V);
            if (known == read.end()) known = read.emplace(V, read_weight<S, T>(load, lengths)).first;
            return HostTensor<T>{known->second.data, known->second.elements.copy()};
        } else {
            return read_weight<S, T>(load, lengths);
        }
    } else {
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            const auto compute = [&](const auto&... operand) {
                const ClassData data[] = {operand.data...};
                using To = stored_as<Plan, T, V>;
                HostTensor<To> r{planner::detail::data_of<S>::make(data, lengths), {}};
                if ((operand.elements.empty() || ...)) return r;
                r.elements = load.template room<To>(r.data.size());
                Extents<Plan::facts.value[V].rank> e;
                for (int i = 0; i < r.data.rank; ++i) e[i] = r.data.extents[i];
                planner::compute_at_load<S>(
                    lengths, Tensor<To, Plan::facts.value[V].rank>(r.elements.data(), e),
                    as_tensor<Plan::facts.value[Plan::facts.node[node].operand[I]].rank>(operand)...);
                return r;
            };
            // In braces: in the order in which they stand.
            const std::tuple operands{load_value<Plan, Plan::facts.node[node].operand[I], T>(load, lengths, read)...};
            return std::apply(compute, operands);
        }(std::make_integer_sequence<int, Plan::facts.node[node].operands>{});
    }
}

/// The form in which kernel K reads its weight W.
template <class Plan, int K>
constexpr Form weight_form() {
    constexpr planner::Kernel kernel = Plan::kernels[K];
    if constexpr (kernel.core < 0) return Form::plain;
    else {
        constexpr planner::Core core = Plan::facts.node[kernel.core].symbol.core;
        if constexpr (core != planner::Core::linear && core != planner::Core::conv) return Form::plain;
        else return kernel.gated ? Form::paired : Form::packed;
    }
}
template <class Plan, int K>
constexpr index_t groups_of() {
    if constexpr (Plan::kernels[K].core < 0) return 1;
    else {
        constexpr planner::SymbolFacts f = Plan::facts.node[Plan::kernels[K].core].symbol;
        return f.core == planner::Core::conv && f.groups > 1 ? f.groups : 1;
    }
}

/// Rows of two halves in the order of a gated product: `OutGate`'s are the second.
template <Storage T>
void pair_rows(HostTensor<T>& t) {
    const index_t n = t.data.extents[0] / 2, k = t.data.size() / t.data.extents[0];
    if (t.elements.empty()) return;
    auto paired = t.elements.like();
    const HostArray<T> from = std::exchange(t.elements, std::move(paired));
    for (index_t i = 0; i < n; ++i)
        for (const index_t gate : {0, 1})
            std::copy_n(from.data() + (gate * n + i) * k, k,
                        t.elements.data() + (inlay::paired_column(i) + 16 * gate) * k);
}

template <class Plan, int V, Form F, index_t Groups, Storage T, class L>
void keep_weight(const L& load, const Lengths& lengths, Weights& weights, ReadOnce<T>& read, LoadedWeights* loaded) {
    KeptWeight& kept = weights[{V, F}];
    if (kept.data) return;
    KeptWeight* const shared = loaded ? &(*loaded)[{term_key<Plan>(V), F}] : nullptr;
    if (shared && shared->data) {
        kept = *shared;
        return;
    }
    auto t = load_value<Plan, V, T>(load, lengths, read);
    if constexpr (F == Form::plain) {
        kept.data = load.kept(t.elements, t.data.size());
    } else {
        if constexpr (F == Form::paired) pair_rows(t);
        Extents<Plan::facts.value[V].rank> e;
        for (int i = 0; i < t.data.rank; ++i) e[i] = t.data.extents[i];
        const auto packed = load.packed(t.elements, e, Groups);
        kept = {packed.data, packed.panel_columns};
    }
    if (shared) *shared = kept;
}

/// True of a value that is computed at load.
template <class Plan>
constexpr bool is_loaded(int v) {
    return Plan::facts.value[v].phase == 0 &&
           Plan::facts.node[Plan::facts.first[v]].symbol.role == planner::Role::weight;
}

/// Loads what kernel K reads of weights. `loaded`: what other plans of the layer loaded, if there are some.
template <class Plan, int K, Storage T, class L>
void keep_weights(const L& load, const Lengths& lengths, Weights& weights, ReadOnce<T>& read,
                  LoadedWeights* loaded = nullptr) {
    constexpr planner::Kernel kernel = Plan::kernels[K];
    [&]<int... W, int... S>(std::integer_sequence<int, W...>, std::integer_sequence<int, S...>) {
        (keep_weight<Plan, kernel.weight[W], weight_form<Plan, K>(), groups_of<Plan, K>(), T>(
             load, lengths, weights, read, loaded),
         ...);
        const auto keep_slot = [&]<int V>() {
            if constexpr (is_loaded<Plan>(V))
                keep_weight<Plan, V, Form::plain, 1, T>(load, lengths, weights, read, loaded);
        };
        (keep_slot.template operator()<memory_of<Plan>(kernel.slot[S])>(), ...);
    }(std::make_integer_sequence<int, kernel.weights>{}, std::make_integer_sequence<int, kernel.slots>{});
}

}  // namespace inlay::inline INLAY_ABI::nn::detail
