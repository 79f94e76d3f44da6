// SPDX-License-Identifier: Apache-2.0
/// A layer with up to three plans, made for several shapes: each program runs the one whose shape is nearest to the
/// extents for which it is built. Plans of the same kernels are one.
#pragma once

#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/planned/nearest.hpp>

#include <variant>

namespace inlay::inline INLAY_ABI::nn {

namespace detail {

/// For each plan, its place among those of other kernels.
template <class... Plan>
struct DistinctPlans {
    struct Places {
        int count = 0;
        int of[sizeof...(Plan)] = {}, first[sizeof...(Plan)] = {};  ///< of each plan; and the first plan at each
    };
    template <class A>
    static constexpr int first_like() {
        const bool same[] = {planner::same_kernels<A, Plan>...};
        int i = 0;
        while (!same[i]) ++i;
        return i;
    }
    static constexpr Places places = [] {
        const int like[] = {first_like<Plan>()...};
        Places p;
        for (int i = 0; i < static_cast<int>(sizeof...(Plan)); ++i) {
            if (like[i] == i) p.first[p.count++] = i;
            p.of[i] = like[i] == i ? p.count - 1 : p.of[like[i]];
        }
        return p;
    }();
    template <int... I>
    static auto find(std::integer_sequence<int, I...>) -> types<std::tuple_element_t<
        static_cast<std::size_t>(places.first[I]), std::tuple<Plan...>>...>;
    using type = decltype(find(std::make_integer_sequence<int, places.count>{}));
};

/// True if the kernels of a phase read the same inputs in both plans.
template <class A, class B, planner::Phase P>
constexpr bool reads_as_many() {
    if (Given<A, P>::count != Given<B, P>::count) return false;
    for (int i = 0; i < Given<A, P>::count; ++i)
        if (Given<A, P>::slots.slot[i] != Given<B, P>::slots.slot[i]) return false;
    return true;
}

}  // namespace detail

template <Storage T, class... Plan>
class PlannedByShape {
    static_assert(sizeof...(Plan) >= 1 && sizeof...(Plan) <= 3, "inlay: a layer has one to three plans");
    using Distinct = detail::DistinctPlans<Plan...>;
    template <class List>
    struct Of;
    template <class First, class... D>
    struct Of<types<First, D...>> {
        static_assert((std::is_same_v<typename First::layer, typename D::layer> && ...),
                      "inlay: plans among which extents select are of one layer");
        using first = First;
        using all = std::tuple<Planned<First, T>, Planned<D, T>...>;
        using kept = std::variant<typename Planned<First, T>::Kept, typename Planned<D, T>::Kept...>;
        template <planner::Phase P>
        static constexpr bool one_reads = (detail::reads_as_many<First, D, P>() && ...);
    };
    using Plans = Of<typename Distinct::type>;

public:
    /// Plans that run other kernels than those before them.
    static constexpr int distinct = Distinct::places.count;
    /// Results of an earlier phase, and with them the plan that steps behind it run.
    using Kept = typename Plans::kept;

    PlannedByShape() = default;
    /// `lengths`: as for `Planned`. Where none is 0, the weights of one plan alone are loaded.
    template <class L>
    PlannedByShape(const L& load, const planner::Lengths& lengths) : lengths_(lengths) {
        bool known = lengths.axes == Plans::first::shape::lengths.axes;
        for (int i = 0; i < lengths.axes; ++i) known = known && lengths.length[i] > 0;
        if (known) loaded_ = place(lengths);
        detail::LoadedWeights loaded;
        each([&](auto i, auto& plan) {
            if (loaded_ < 0 || loaded_ == static_cast<int>(i))
                plan = std::remove_cvref_t<decltype(plan)>(load, lengths, &loaded);
        });
    }

    /// The number of the plan for these lengths of the layer's axes, 0 for those that are not known; that whose weights
    /// were loaded, where others were not.
    static int nearest(const planner::Lengths& lengths) { return planner::nearest<Plan...>(lengths); }

    template <class Target, class... In>
    auto build(const Build<T, Target>& b, const In&... inputs) const {
        return run(place_for<planner::Phase::step>(inputs...),
                   [&](const auto& plan, auto) { return plan.build(b, inputs...); });
    }
    /// The kernels of a phase before the step. The inputs of that phase decide which plan runs, then and in the steps.
    template <planner::Phase P, class Target, class... In>
    Kept build_phase(const Build<T, Target>& b, const In&... inputs) const {
        return run(place_for<P>(inputs...), [&](const auto& plan, auto i) {
            return Kept(std::in_place_index<i>, plan.template build_phase<P>(b, inputs...));
        });
    }
    template <class Target, class... In>
    auto build_behind(const Build<T, Target>& b, const Kept& kept, const In&... inputs) const {
        return run(static_cast<int>(kept.index()), [&](const auto& plan, auto i) {
            return plan.build_behind(b, std::get<i>(kept), inputs...);
        });
    }

private:
    static int place(const planner::Lengths& lengths) { return Distinct::places.of[nearest(lengths)]; }
    template <planner::Phase P, class... In>
    int place_for(const In&... inputs) const {
        static_assert(Plans::template one_reads<P>,
                      "inlay: plans among which extents select read the same inputs in each phase");
        if (loaded_ >= 0) return loaded_;
        planner::Lengths lengths = lengths_;
        detail::read_lengths<typename Plans::first, P>(lengths, std::tie(inputs...));
        return place(lengths);
    }
    template <class F>
    void each(const F& f) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (f(std::integral_constant<std::size_t, I>{}, std::get<I>(plans_)), ...);
        }(std::make_index_sequence<static_cast<std::size_t>(distinct)>{});
    }
    /// f(plan, place) of the plan at a place. All return one type.
    template <std::size_t I = 0, class F>
    auto run(int at, const F& f) const {
        if constexpr (I + 1 == static_cast<std::size_t>(distinct)) {
            return f(std::get<I>(plans_), std::integral_constant<std::size_t, I>{});
        } else {
            if (at == static_cast<int>(I)) return f(std::get<I>(plans_), std::integral_constant<std::size_t, I>{});
            return run<I + 1>(at, f);
        }
    }

    planner::Lengths lengths_;
    int loaded_ = -1;   ///< the only plan whose weights were loaded; −1: all were
    typename Plans::all plans_;
};

}  // namespace inlay::inline INLAY_ABI::nn
