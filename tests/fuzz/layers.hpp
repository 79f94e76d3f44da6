// SPDX-License-Identifier: Apache-2.0
/// Random layers, which make_layers.py writes, planned and run on the host, against the interpreter of their terms.
#pragma once

#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/list.hpp>

#include <rewrite/planner/interpret_graph.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace fuzz::layers {

using namespace inlay;
namespace p = inlay::planner;

/// Weights as the interpreter has them.
struct Source {
    const inlay_test::Leaves& leaves;

    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        for (const double x : leaves.value(name, shape).v) *to++ = to_storage<T>(static_cast<float>(x));
    }
};

/// Memory that nobody has written yet reads as NaN.
struct Memory {
    std::vector<float> floats = std::vector<float>(std::size_t(1) << 20, std::numeric_limits<float>::quiet_NaN());
    Arena arena{floats.data(), floats.size() * sizeof(float)};
};

/// The first symbol of a list that is input I.
template <int I, class Symbols>
struct input_in;
template <int I, class S, class... More>
struct input_in<I, types<S, More...>> : input_in<I, types<More...>> {};
template <int I, p::Phase P, p::Dim... D, class... More>
struct input_in<I, types<p::InputSymbol<I, P, D...>, More...>> {
    using type = p::InputSymbol<I, P, D...>;
};

template <class S>
struct InputTensor;
template <int I, p::Phase P, p::Dim... D>
struct InputTensor<p::InputSymbol<I, P, D...>> {
    std::vector<float> numbers;
    Extents<sizeof...(D)> extents;

    explicit InputTensor(const inlay_test::Leaves& leaves)
        : extents{{p::length_of(D, leaves.lengths)...}} {
        for (const double x : inlay_test::meaning<p::InputSymbol<I, P, D...>>::of({}, leaves).v)
            numbers.push_back(static_cast<float>(x));
        numbers.push_back(0);
    }
    Tensor<float, sizeof...(D)> tensor() { return {numbers.data(), extents}; }
};

template <class Plan>
constexpr bool has_phase(p::Phase phase) {
    for (int k = 0; k < Plan::launches; ++k)
        if (Plan::kernels[k].phase == static_cast<int>(phase)) return true;
    return false;
}

/// Tensors of the inputs that kernels of a phase read.
template <class Plan, p::Phase P, class F>
auto with_inputs(const inlay_test::Leaves& leaves, std::vector<std::shared_ptr<void>>& alive, F f) {
    using Given = nn::detail::Given<Plan, P>;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto make = [&]<int N>() {
            const auto t = std::make_shared<InputTensor<typename input_in<N, typename Plan::symbols>::type>>(leaves);
            alive.push_back(t);
            return t->tensor();
        };
        return f(make.template operator()<Given::slots.slot[I]>()...);
    }(std::make_index_sequence<static_cast<std::size_t>(Given::count)>{});
}

template <class Layer, class Plan, class... Terms>
void run(const char* plan, const inlay_test::Leaves& leaves, const p::Lengths& known, types<Terms...>) {
    Host host;
    Memory weights, temporaries;
    const Source source{leaves};
    const nn::Loader<float, Source, Host> load(&source, host, weights.arena);
    const nn::Planned<Plan, float> layer(load, known);
    Program<Host> program;
    const nn::Build<float, Host> build{&program, &temporaries.arena, ""};
    std::vector<std::shared_ptr<void>> alive;
    const auto compare = [&](const auto&... result) {
        program.run(host);
        int number = 0;
        const auto one = [&](const auto& r, const inlay_test::Value& want) {
            inlay_test::Value got(inlay_test::Sizes(r->extents.v, r->extents.v + want.rank()));
            for (index_t i = 0; i < got.size(); ++i) got[i] = static_cast<double>(r->data[i]);
            EXPECT_EQ(static_cast<int>(r->extents.rank), want.rank());
            const double error = inlay_test::error_of(got, want);
            EXPECT_TRUE(error <= 1e-5) << plan << ", result " << number << ": error " << error << ", extents "
                                       << text(r->extents);
            ++number;
        };
        (one(result, inlay_test::interpret<Terms>(leaves)), ...);
    };
    const auto compare_all = [&](const auto& results) {
        if constexpr (sizeof...(Terms) == 1) compare(results);
        else std::apply(compare, results);
    };
    try {
        if constexpr (has_phase<Plan>(p::Phase::schedule)) {
            auto of_schedule = with_inputs<Plan, p::Phase::schedule>(leaves, alive, [&](const auto&... in) {
                return layer.template build_phase<p::Phase::schedule>(build, in...);
            });
            const auto kept = with_inputs<Plan, p::Phase::prompt>(leaves, alive, [&](const auto&... in) {
                return layer.template build_phase_behind<p::Phase::prompt>(build, std::move(of_schedule), in...);
            });
            compare_all(with_inputs<Plan, p::Phase::step>(
                leaves, alive, [&](const auto&... in) { return layer.build_behind(build, kept, in...); }));
        } else if constexpr (has_phase<Plan>(p::Phase::prompt)) {
            const auto kept = with_inputs<Plan, p::Phase::prompt>(leaves, alive, [&](const auto&... in) {
                return layer.template build_phase<p::Phase::prompt>(build, in...);
            });
            compare_all(with_inputs<Plan, p::Phase::step>(
                leaves, alive, [&](const auto&... in) { return layer.build_behind(build, kept, in...); }));
        } else {
            compare_all(with_inputs<Plan, p::Phase::step>(
                leaves, alive, [&](const auto&... in) { return layer.build(build, in...); }));
        }
    } catch (const std::exception& e) {
        ADD_FAILURE() << plan << ": " << e.what();
    }
}

/// Plans a layer, whose inputs tell all lengths, for `PlanShape`, for the host or a GPU, with or without rules, and
/// runs it with other lengths.
template <class Layer, class PlanShape, bool Gpu, bool WithRules>
void check(std::initializer_list<p::Lengths> lengths) {
    using terms = typename p::detail::terms_of<decltype(Layer::graph())>::type;
    using found = p::rules_for<egraph::symbols_of<terms>>;
    using rules = std::conditional_t<
        WithRules, unite_types<typename found::halves, typename found::joined, typename found::folded>,
        types<>>;
    using target = std::conditional_t<Gpu, p::on_sm90a<4>, p::on_host<4>>;
    using plan = p::plan<Layer, target, PlanShape, rules>;
    unsigned seed = 1;
    for (const p::Lengths& l : lengths) run<Layer, plan>(Gpu ? "sm_90a" : "host", {l, seed++, 0}, {}, terms{});
}

}  // namespace fuzz::layers
