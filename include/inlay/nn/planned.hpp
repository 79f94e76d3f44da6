// SPDX-License-Identifier: Apache-2.0
/// A planned layer: its weights, loaded by name, and the kernels of its plan, which a build appends to a program.
#pragma once

#include <inlay/nn/build.hpp>
#include <inlay/nn/planned/weights.hpp>
#include <inlay/nn/planned/values.hpp>
#include <inlay/rewrite/planner/emit.hpp>

#include <string>
#include <tuple>
#include <utility>

namespace inlay::inline INLAY_ABI::nn {

template <class Plan, Storage T>
class Planned {
    using Values = std::make_integer_sequence<int, Plan::facts.values>;
    using Kernels = std::make_integer_sequence<int, Plan::launches>;

public:
    Planned() = default;
    /// `lengths`: of the layer's axes, as far as the extents of weights depend on them; 0 for the others.
    template <class L>
    Planned(const L& load, const planner::Lengths& lengths) : lengths_(lengths) {
        load_kernels(load, Kernels{});
    }

    /// Appends the kernels that compute the layer's results from its inputs, tensors in the order of their numbers.
    /// Throws where an extent is not the layer's. Returns a tensor for each result, or the only one.
    template <class Target, class... In>
    auto build(const Build<T, Target>& b, const In&... inputs) const {
        static_assert(sizeof...(In) == detail::inputs_of<Plan>(),
                      "inlay: a planned layer takes as many tensors as it names inputs");
        const auto given = std::tie(inputs...);
        const detail::Extents_of<Plan> extents(detail::lengths_from<Plan>(lengths_, given));
        detail::Temporaries<Plan, T> kept;
        const auto tensor = [&]<int V>() { return detail::tensor_of<Plan, T, V>(given, weights_, kept, extents); };
        build_kernels(b, tensor, kept, extents, Kernels{});
        return results(kept, std::make_integer_sequence<int, Plan::facts.roots>{});
    }

private:
    template <class L, int... K>
    void load_kernels(const L& load, std::integer_sequence<int, K...>) {
        (detail::keep_weights<Plan, K>(load, lengths_, weights_), ...);
    }
    template <class Target, class Tensors, int... K>
    void build_kernels(const Build<T, Target>& b, const Tensors& tensor, detail::Temporaries<Plan, T>& kept,
                       const detail::Extents_of<Plan>& extents, std::integer_sequence<int, K...>) const {
        (build_kernel<K>(b, tensor, kept, extents), ...);
    }
    template <int K, class Target, class Tensors>
    void build_kernel(const Build<T, Target>& b, const Tensors& tensor, detail::Temporaries<Plan, T>& kept,
                      const detail::Extents_of<Plan>& extents) const {
        constexpr planner::Kernel kernel = Plan::kernels[K];
        [&]<int... O, int... W, int... S>(std::integer_sequence<int, O...>, std::integer_sequence<int, W...>,
                                          std::integer_sequence<int, S...>) {
            (kept.template take<kernel.output[O]>(b, extents), ...);
            b.template add<planner::kernel_type<Plan, K>>(
                std::string(Plan::name_of(K)), detail::bound_output<Plan, K, O>(tensor, extents)...,
                detail::kernel_weight<Plan, K, W>(weights_, extents, Target::panel_columns)...,
                tensor.template operator()<kernel.slot[S]>()...);
        }(std::make_integer_sequence<int, kernel.outputs>{}, std::make_integer_sequence<int, kernel.weights>{},
          std::make_integer_sequence<int, kernel.slots>{});
        give_back<K>(kept, Values{});
    }
    template <int K, int... V>
    static void give_back(detail::Temporaries<Plan, T>& kept, std::integer_sequence<int, V...>) {
        ((Plan::list.last_use[V] == K ? kept.template give_back<V>() : void()), ...);
    }
    template <int... R>
    static auto results(detail::Temporaries<Plan, T>& kept, std::integer_sequence<int, R...>) {
        if constexpr (sizeof...(R) == 1) return std::move(kept.template at<Plan::facts.root[0]>());
        else return std::make_tuple(std::move(kept.template at<Plan::facts.root[R]>())...);
    }

    planner::Lengths lengths_;
    detail::Weights<T> weights_;
};

}  // namespace inlay::inline INLAY_ABI::nn
