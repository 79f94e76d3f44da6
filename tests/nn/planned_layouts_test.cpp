// SPDX-License-Identifier: Apache-2.0
/// Planned layers whose values are arranged, returned or read in ways of their own, against the interpreter.
#include <fuzz/layers.hpp>

#include <utility>

namespace {

using namespace inlay;
using namespace inlay::planner;
using fuzz::layers::check;

using plan_shape = Shape<2, 5, 3, 7>;
constexpr Lengths same{4, {2, 5, 3, 7}}, other{4, {3, 2, 4, 1}};

constexpr auto image_in = input<0, dim<0>, dim<1>, dim<2>, 8>;
constexpr auto rows_in = input<0, dim<0>, dim<1>, 8>;

struct heads_of_pixels {
    static constexpr auto graph() { return silu(heads<4>(linear<"w", 8, 8>(image_in))); }
};
struct heads_of_tokens {
    static constexpr auto graph() { return heads<4>(tokens(conv<"w", 8, 8, 3>(image_in))); }
};
/// The rows of heads by strides are no matrix.
struct product_of_heads {
    static constexpr auto graph() { return linear<"w", 12, 4>(heads<4>(materialize(silu(rows_in)))); }
};
struct merged_values {
    static constexpr auto graph() { return merge_heads(silu(heads<4>(silu(rows_in)))); }
};
struct tokens_of_heads {
    static constexpr auto graph() {
        return outputs(tokens(heads<4>(materialize(silu(rows_in)))), tokens(part<1, 2>(materialize(tanh(rows_in)))));
    }
};
struct arranged_results {
    static constexpr auto graph() {
        const auto h = materialize(conv<"w", 8, 8, 3>(image_in));
        return outputs(tokens(h), silu(h), heads<4>(tokens(h)));
    }
};
TEST(PlannedLayouts, HeadsOfAnyRank) {
    check<heads_of_pixels, plan_shape, false, false>({same, other});
    check<heads_of_tokens, plan_shape, false, false>({same, other});
    check<product_of_heads, plan_shape, false, false>({same, other});
}
TEST(PlannedLayouts, AKernelWritesWhatNoStridesAre) {
    check<merged_values, plan_shape, false, false>({same, other});
    check<tokens_of_heads, plan_shape, false, false>({same, other});
}
TEST(PlannedLayouts, ResultsOwnTheirMemory) {
    check<arranged_results, plan_shape, false, false>({same, other});
}

/// A step reads t before a kernel of the prompt does, in the order of the plan.
struct early_value {
    static constexpr auto graph() {
        const auto x = rows_in;
        const auto t = materialize(linear<"a", 8, 8>(input_from<1, Phase::prompt, dim<0>, 1, 8>));
        return outputs(materialize(silu(x + t)), x * linear<"b", 8, 8>(t));
    }
};
TEST(PlannedLayouts, ValuesOfThePromptOutliveIt) {
    check<early_value, plan_shape, false, false>({same, other});
}

/// A value of the schedule, which kernels of the prompt and of the steps read.
struct three_phases {
    static constexpr auto graph() {
        const auto s = materialize(silu(input_from<1, Phase::schedule, dim<3>, 1, 8>));
        const auto t = materialize(linear<"a", 8, 8>(input_from<2, Phase::prompt, dim<3>, dim<2>, 8> + s));
        return reduce<reduction::Sum, Axes<1>>(t) + rows_in * s;
    }
};
TEST(PlannedLayouts, ThreePhases) {
    check<three_phases, Shape<2, 5, 3, 2>, false, false>({{4, {2, 5, 3, 2}}, {4, {3, 1, 4, 3}}});
}

struct biased_cross_attention {
    static constexpr auto graph() {
        const auto x = rows_in;
        const auto t = input_from<1, Phase::prompt, dim<0>, dim<3>, 12>;
        const auto a = attention<4>(heads<4>(linear<"q", 8, 8>(x)), heads<4>(linear<"k", 8, 12>(t)),
                                    heads<4>(linear<"v", 8, 12>(t)));
        return x + merge_heads(a);
    }
};
TEST(PlannedLayouts, JoinedBiasesAreHalvedOnce) {
    using terms = planner::detail::terms_of<decltype(biased_cross_attention::graph())>::type;
    using found = rules_for<egraph::symbols_of<terms>>;
    using graph = egraph::Graph<LayerLanguage<typename found::symbols, plan_shape>, most_graph_nodes>;
    EXPECT_LE((layer_graph<graph, typename found::joined>(terms{}).graph.live_nodes()), 60);
    check<biased_cross_attention, plan_shape, false, true>({same, other});
}

struct broadcast_sum {
    static constexpr auto graph() {
        return linear<"w", 8, 8>(input<0, dim<0>, dim<1>, 8>) + input<1, dim<2>, dim<1>, 8>;
    }
};
TEST(PlannedLayouts, NoElements) {
    check<broadcast_sum, Shape<2, 5, 1>, false, false>({{3, {0, 5, 1}}, {3, {2, 0, 1}}, {3, {1, 1, 1}}});
}
using of_one_item = planner::plan<broadcast_sum, planner::on_host<4>, Shape<1, 5, 1>>;
/// Planned for one item of each, the sum is an epilogue, whose kernel refuses other extents than the product's.
TEST(PlannedLayouts, ExtentsEqualInThePlanAlone) {
    Host host;
    fuzz::layers::Memory weights, temporaries;
    const inlay_test::Leaves leaves{{3, {1, 5, 3}}, 1, 0};
    const fuzz::layers::Source source{leaves};
    const nn::Loader<float, fuzz::layers::Source, Host> load(&source, host, weights.arena);
    const nn::Planned<of_one_item, float> layer(load, leaves.lengths);
    std::vector<float> x(1 * 5 * 8), y(3 * 5 * 8);
    Program<Host> program;
    EXPECT_THROW(layer.build(nn::Build<float, Host>{&program, &temporaries.arena, ""}, tensor(x.data(), 1, 5, 8),
                             tensor(y.data(), 3, 5, 8)),
                 std::exception);
}

struct feed_forward {
    static constexpr auto graph() { return rows_in + linear<"w", 8, 8>(silu(linear<"v", 8, 8>(rows_in))); }
};
using forward = nn::Planned<planner::plan<feed_forward, planner::on_host<4>, plan_shape>, float>;
/// The weights and results of one layer twice in a program, one of them moved and assigned.
TEST(PlannedLayouts, TwoOfALayerInOneProgram) {
    Host host;
    fuzz::layers::Memory weights, temporaries;
    const inlay_test::Leaves leaves{{4, {2, 5, 3, 7}}, 1, 0};
    const fuzz::layers::Source source{leaves};
    const nn::Loader<float, fuzz::layers::Source, Host> load(&source, host, weights.arena);
    std::vector<forward> layers;
    layers.emplace_back(load / "first", leaves.lengths);
    layers.emplace_back(load / "second", leaves.lengths);
    forward moved;
    moved = std::move(layers[0]);
    std::vector<float> x(2 * 5 * 8);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
    const auto in = tensor(x.data(), 2, 5, 8);
    const auto run = [&](const auto& first, const auto& second) {
        Program<Host> program;
        const nn::Build<float, Host> build{&program, &temporaries.arena, ""};
        const auto a = first.build(build, in);
        const auto b = second.build(build, *a);
        program.run(host);
        return std::vector<float>(b->data, b->data + b->size());
    };
    const forward first(load / "first", leaves.lengths), second(load / "second", leaves.lengths);
    const std::vector<float> got = run(moved, layers[1]);
    EXPECT_EQ(got, run(first, second));
    EXPECT_NE(got, run(first, first));
}

}  // namespace
