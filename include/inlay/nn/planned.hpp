// SPDX-License-Identifier: Apache-2.0
/// A planned layer: its weights, loaded by name, and the kernels of its plan, which a build appends to a program.
///
/// One plan may be of attentions whose width of heads is an axis of the layer. Its attention's kernels are compiled for
/// each `Width`, of which the lengths choose one; the others are of all widths.
#pragma once

#include <inlay/nn/build.hpp>
#include <inlay/nn/planned/rows.hpp>
#include <inlay/nn/planned/values.hpp>
#include <inlay/nn/planned/weights.hpp>
#include <inlay/nn/planned/widths.hpp>
#include <inlay/rewrite/planner/emit.hpp>

#include <string>
#include <tuple>
#include <utility>

namespace inlay::inline INLAY_ABI::nn {

template <class Plan, Storage T, int... Width>
class Planned {
    static_assert(detail::has_open_width<Plan>() == (sizeof...(Width) > 0),
                  "inlay: a planned layer lists widths of heads where its attention's is an axis of the layer, and "
                  "only there");
    using Kernels = std::make_integer_sequence<int, Plan::launches>;

public:
    /// Results of a phase for those after it: tensors, and the lengths of the layer's axes as far as they are known.
    struct Kept {
        planner::Lengths lengths;
        detail::Temporaries<Plan, T> tensors;
    };

    Planned() = default;
    /// `lengths`: of the layer's axes, as far as the extents of weights depend on them; 0 for the others.
    /// `loaded`: weights of other plans of the layer, which are not loaded again.
    /// Throws where the width of heads is an axis and its length none of `Width`.
    template <class L>
    Planned(const L& load, const planner::Lengths& lengths, detail::LoadedWeights* loaded = nullptr)
        : lengths_(lengths) {
        with_width([]<int>() {});
        load_kernels(load, loaded, Kernels{});
    }

    /// Appends the kernels that compute the layer's results from its inputs, tensors in the order of their numbers.
    /// Throws where an extent is not the layer's. Returns a tensor for each result, or the only one.
    template <class Target, class... In>
    auto build(const Build<T, Target>& b, const In&... inputs) const {
        static_assert(detail::is_of_one_phase<Plan>(),
                      "inlay: a part of this layer is computed in an earlier phase: build_phase<P> comes before");
        return build_behind(b, Kept{lengths_, {}}, inputs...);
    }
    /// The same behind an earlier phase, of the inputs that the kernels of each step read. `earlier` outlives the
    /// program's runs.
    template <class Target, class... In>
    auto build_behind(const Build<T, Target>& b, const Kept& earlier, const In&... inputs) const {
        Kept kept{earlier.lengths, {}};
        append<planner::Phase::step>(b, earlier.tensors, kept, inputs...);
        return results(kept, std::make_integer_sequence<int, Plan::facts.roots>{});
    }
    /// Appends the kernels of a phase before the step, from the inputs that they read, in the order of their numbers.
    template <planner::Phase P, class Target, class... In>
    Kept build_phase(const Build<T, Target>& b, const In&... inputs) const {
        static_assert(detail::is_first_phase<Plan>(P),
                      "inlay: a part of this layer is computed in a phase before this one: build_phase_behind goes on");
        return build_phase_behind<P>(b, Kept{lengths_, {}}, inputs...);
    }
    /// The same behind an earlier phase, whose tensors are in the result too.
    template <planner::Phase P, class Target, class... In>
    Kept build_phase_behind(const Build<T, Target>& b, Kept earlier, const In&... inputs) const {
        static_assert(P == planner::Phase::schedule || P == planner::Phase::prompt,
                      "inlay: the phases before a planned layer's steps are those of the schedule and of the prompt");
        append<P>(b, earlier.tensors, earlier, inputs...);
        return earlier;
    }

private:
    template <class L, int... K>
    void load_kernels(const L& load, detail::LoadedWeights* loaded, std::integer_sequence<int, K...>) {
        detail::ReadOnce<T> read;
        (detail::keep_weights<Plan, K, T>(load, lengths_, weights_, read, loaded), ...);
    }
    /// Calls f with the width of heads of the layer; with 0 where kernels have that of the plan.
    template <class F>
    void with_width(const F& f) const {
        if constexpr (sizeof...(Width) == 0) f.template operator()<0>();
        else with_head_dim<Width...>(length_of(detail::open_width<Plan>(), lengths_), f);
    }
    template <planner::Phase P, class Target, class... In>
    void append(const Build<T, Target>& b, const detail::Temporaries<Plan, T>& earlier, Kept& kept,
                const In&... inputs) const {
        using Given = detail::Given<Plan, P>;
        static_assert(sizeof...(In) == Given::count,
                      "inlay: a planned layer takes a tensor for each input that its kernels read, in the order of "
                      "their numbers");
        const auto given = std::tie(inputs...);
        detail::read_lengths<Plan, P>(kept.lengths, given);
        planner::Lengths lengths = kept.lengths;
        if (P != planner::Phase::step) lengths.axes = planner::most_layer_axes;  // 0: inputs of later phases tell
        const detail::Extents_of<Plan> extents(lengths);
        const auto tensor = [&]<int V>() {
            return detail::tensor_of<Plan, T, P, V>(given, weights_, earlier, kept.tensors, extents);
        };
        append_kernels<P>(b, tensor, kept.tensors, extents, Kernels{});
    }
    template <planner::Phase P, class Target, class Tensors, int... K>
    void append_kernels(const Build<T, Target>& b, const Tensors& tensor, detail::Temporaries<Plan, T>& kept,
                        const detail::Extents_of<Plan>& extents, std::integer_sequence<int, K...>) const {
        const auto each = [&]<int N>() {
            if constexpr (Plan::kernels[N].phase == static_cast<int>(P)) append_kernel<N>(b, tensor, kept, extents);
        };
        (each.template operator()<K>(), ...);
    }
    template <int K, class Target, class Tensors>
    void append_kernel(const Build<T, Target>& b, const Tensors& tensor, detail::Temporaries<Plan, T>& kept,
                       const detail::Extents_of<Plan>& extents) const {
        constexpr planner::Kernel kernel = Plan::kernels[K];
        [&]<int... O, int... W, int... S, int... N>(std::integer_sequence<int, O...>, std::integer_sequence<int, W...>,
                                                    std::integer_sequence<int, S...>,
                                                    std::integer_sequence<int, N...>) {
            (kept.template take<kernel.output[O]>(b, extents), ...);
            const auto add = [&]<class Kernel>() {
                b.template add<Kernel>(
                    std::string(Plan::name_of(K)),
                    detail::as_bound<Plan, K>(detail::bound_output<Plan, K, O>(tensor, extents))...,
                    detail::kernel_weight<Plan, T, K, W>(weights_, extents)...,
                    detail::as_bound<Plan, K>(tensor.template operator()<kernel.slot[S]>())...,
                    static_cast<float>(planner::kernel_number<Plan, K, N>(lengths_))...);
            };
            if constexpr (detail::has_open_width<Plan, K>())
                with_width([&]<int D>() { add.template operator()<planner::kernel_type<Plan, K, D>>(); });
            else add.template operator()<planner::kernel_type<Plan, K>>();
        }(std::make_integer_sequence<int, kernel.outputs>{}, std::make_integer_sequence<int, kernel.weights>{},
          std::make_integer_sequence<int, kernel.slots>{},
          std::make_integer_sequence<int, planner::kernel_numbers<Plan, K>>{});
        give_back<K>(kept, std::make_integer_sequence<int, detail::StoredValues<Plan>::count>{});
    }
    template <int K, int... I>
    static void give_back([[maybe_unused]] detail::Temporaries<Plan, T>& kept, std::integer_sequence<int, I...>) {
        const auto each = [&]<int V>() {
            if constexpr (Plan::list.last_use[V] == K && Plan::list.is_stored_in_phase_of(K, V))
                kept.template give_back<V>();
        };
        (each.template operator()<detail::StoredValues<Plan>::value(I)>(), ...);
    }
    template <int... R>
    static auto results(Kept& kept, std::integer_sequence<int, R...>) {
        static_assert(((Plan::kernels[Plan::list.stored_by[Plan::facts.root[R]]].phase ==
                        static_cast<int>(planner::Phase::step)) && ...),
                      "inlay: a result of this layer is known before its steps, none of which computes it");
        if constexpr (sizeof...(R) == 1) return std::move(kept.tensors.template at<Plan::facts.root[0]>());
        else return std::make_tuple(std::move(kept.tensors.template at<Plan::facts.root[R]>())...);
    }

    planner::Lengths lengths_;
    detail::Weights weights_;
};

}  // namespace inlay::inline INLAY_ABI::nn
