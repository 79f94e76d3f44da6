// SPDX-License-Identifier: Apache-2.0
/// Layers planned with rules on the CPU: their results are those of the same layers planned without. `fuse` forbids
/// what a rule does away with, so that a plan must use the rule, whatever the price.
#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/nn/resnet.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/list.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace inlay;
namespace p = inlay::planner;

/// Weights by name: normal numbers that the name seeds.
struct Random {
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        index_t n = 1, fan = 1;
        for (const index_t e : shape) n *= e;
        for (std::size_t i = 1; i < shape.size(); ++i) fan *= shape[i];
        std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
        std::normal_distribution<float> normal(0, 1 / std::sqrt(static_cast<float>(fan)));
        for (index_t i = 0; i < n; ++i) to[i] = to_storage<T>(normal(random));
    }
};
struct Memory {
    std::vector<float> floats = std::vector<float>(std::size_t(1) << 20);
    Arena arena{floats.data(), floats.size() * sizeof(float)};
};

template <class Plan, int R>
std::vector<double> result_of(const p::Lengths& lengths, const Extents<R>& e) {
    Host host;
    Memory weights, temporaries;
    const Random source;
    const nn::Loader<float, Random, Host> load(&source, host, weights.arena);
    const nn::Planned<Plan, float> layer(load, lengths);
    std::vector<float> x(static_cast<std::size_t>(count(e)));
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.5f);
    for (float& v : x) v = normal(random);
    Program<Host> program;
    const auto y = layer.build(nn::Build<float, Host>{&program, &temporaries.arena, ""}, Tensor<float, R>(x.data(), e));
    program.run(host);
    return {y->data, y->data + y->size()};
}
double error_of(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return HUGE_VAL;
    double d = 0, s = 0;
    for (std::size_t i = 0; i < a.size(); ++i) d += (a[i] - b[i]) * (a[i] - b[i]), s += b[i] * b[i];
    return std::sqrt(d / s);
}

template <class Layer>
using rules_of = p::rules_for<egraph::symbols_of<p::term_of<decltype(Layer::graph())>>>;
template <class Layer>
using all_rules =
    join_types<typename rules_of<Layer>::halves, typename rules_of<Layer>::joined, typename rules_of<Layer>::folded>;
template <class Layer, class Shape>
using with_rules = p::plan<Layer, p::on_host<4>, Shape, all_rules<Layer>>;
template <class Layer, class Shape>
using without = p::plan<Layer, p::on_host<4>, Shape>;

struct as_it_is {
    static constexpr auto pin(auto e) { return e; }
};
struct fused {
    static constexpr auto pin(auto e) { return p::fuse(e); }
};

template <class Placed>
struct feed_forward {
    static constexpr auto graph() {
        constexpr auto c = p::dim<2>;
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, c>;
        const auto wide = p::linear<"in", 4 * c, c>(Placed::pin(p::layer_norm<"norm", c>(x)));
        return p::linear<"out", c, 4 * c>(gelu(wide)) + x;
    }
};
TEST(PlannedByRules, ALayerNormInTheNextProduct) {
    using shape = p::Shape<2, 64, 320>;
    using plan = with_rules<feed_forward<fused>, shape>;
    static_assert(plan::launches == 4 && plan::facts.value[plan::kernels[0].output[0]].extents[2] == 1);
    const p::Lengths lengths{3, {0, 0, 32}};
    const Extents<3> e{{2, 5, 32}};
    EXPECT_LT(error_of(result_of<plan>(lengths, e), result_of<without<feed_forward<as_it_is>, shape>>(lengths, e)),
              1e-5);
}

/// GEGLU behind a biased product: its epilogue reads two sums of one column.
struct gated_feed_forward {
    static constexpr auto graph() {
        constexpr auto c = p::dim<2>;
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, c>;
        const auto wide = p::linear<"in", 8 * c, c>(x);
        return p::linear<"out", c, 4 * c>(p::part<0, 2>(wide) * gelu(p::part<1, 2>(wide))) + x;
    }
};
TEST(PlannedByRules, AGatedProductWithABias) {
    using shape = p::Shape<2, 64, 320>;
    using plan = with_rules<gated_feed_forward, shape>;
    static_assert(plan::launches == 2 && plan::kernels[0].gated);
    static_assert(!without<gated_feed_forward, shape>::kernels[0].gated);
    const p::Lengths lengths{3, {0, 0, 32}};
    const Extents<3> e{{2, 5, 32}};
    EXPECT_LT(error_of(result_of<plan>(lengths, e), result_of<without<gated_feed_forward, shape>>(lengths, e)), 1e-6);
}

template <class Placed>
struct widening {
    static constexpr auto graph() {
        constexpr auto c = p::dim<3>;
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, p::dim<2>, c>;
        return Placed::pin(p::convolution_without_bias<"shortcut", 2 * c, c, Filter<1>>(x)) +
               Placed::pin(p::convolution_without_bias<"conv", 2 * c, c, Filter<3>>(silu(x)));
    }
};
TEST(PlannedByRules, AShortcutInColumnsOfTheConvolution) {
    using shape = p::Shape<2, 16, 16, 64>;
    using plan = with_rules<widening<fused>, shape>;
    const p::Lengths lengths{4, {0, 0, 0, 32}};
    const Extents<4> e{{2, 5, 7, 32}};
    EXPECT_LT(error_of(result_of<plan>(lengths, e), result_of<without<widening<as_it_is>, shape>>(lengths, e)), 1e-5);
}

template <nn::Shortcuts Placed, class Rules = types<>>
using block =
    p::plan<nn::resnet_wider<false, 1e-6, Placed>, p::on_host<4>, p::Shape<2, 16, 16, 64, 128, 0, 0, 0>, Rules>;
TEST(PlannedByRules, TheShortcutOfAResNetBlockInColumns) {
    using plan = block<nn::Shortcuts::in_columns, p::rules::shortcut_rules<Filter<3>>>;
    static_assert(plan::launches == 4 && plan::name_of(3) == "conv2");
    const p::Lengths lengths{8, {0, 0, 0, 32, 64}};
    const Extents<4> e{{2, 5, 7, 32}};
    EXPECT_LT(error_of(result_of<plan>(lengths, e), result_of<block<nn::Shortcuts::own_products>>(lengths, e)), 1e-5);
}

struct upsampled {
    static constexpr auto graph() {
        constexpr auto c = p::dim<3>;
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, p::dim<2>, c>;
        return silu(p::conv<"conv", c, c, 3>(upsample2x(x)));
    }
};
TEST(PlannedByRules, AnUpsampledConvolutionByPhases) {
    using shape = p::Shape<2, 64, 64, 320>;
    using plan = with_rules<upsampled, shape>;
    static_assert(plan::launches == 1 && plan::facts.value[plan::kernels[0].weight[0]].rank == 3);
    const p::Lengths lengths{4, {0, 0, 0, 32}};
    const Extents<4> e{{2, 5, 7, 32}};
    EXPECT_LT(error_of(result_of<plan>(lengths, e), result_of<without<upsampled, shape>>(lengths, e)), 1e-5);
}

struct halves {
    static constexpr auto graph() {
        constexpr auto c = p::dim<2>;
        constexpr auto x = p::twice(p::input<0, p::dim<0>, p::dim<1>, c>);
        return p::linear<"out", c, c>(gelu(p::linear<"in", c, c>(x))) + x;
    }
};
TEST(PlannedByRules, AHalfOnce) {
    using shape = p::Shape<1, 64, 320>;
    using plan = with_rules<halves, shape>;
    static_assert(plan::facts.value[plan::kernels[0].output[0]].extents[0] == 1);
    static_assert(plan::facts.value[plan::kernels[plan::launches - 1].output[0]].extents[0] == 2);
    const p::Lengths lengths{3, {0, 0, 32}};
    const Extents<3> e{{2, 5, 32}};
    EXPECT_LT(error_of(result_of<plan>(lengths, e), result_of<without<halves, shape>>(lengths, e)), 1e-6);
}

}  // namespace
