// SPDX-License-Identifier: Apache-2.0
/// A layer with a plan for each of several shapes: extents select, weights are loaded once, every choice is right.
#include "layer.hpp"

#include <inlay/nn/planned/by_shape.hpp>
#include <inlay/report/planner/choice.hpp>
#include <inlay/rewrite/planner/rules/query_key_value.hpp>

#include <algorithm>

namespace {

using namespace inlay_test::planned;

/// Few columns read what a kernel before them wrote; many would pay for GELU anew, or few rows for a launch.
struct product {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, 4>;
        return p::linear<"w", p::dim<1>, 4>(p::reduce<reduction::Sum>(p::input<1, p::dim<0>, 4>) * gelu(x));
    }
};
template <index_t Rows, index_t Columns>
using plan_for = p::plan<product, p::on_host<4>, p::Shape<Rows, Columns>>;
using few = plan_for<2, 1>;
using as_few = plan_for<4, 1>;
using many = plan_for<4096, 4096>;
static_assert(p::same_kernels<few, as_few> && !p::same_kernels<few, many>);
using by_shape = nn::PlannedByShape<float, few, many, as_few>;
static_assert(by_shape::distinct == 2 && nn::PlannedByShape<float, few, as_few>::distinct == 1);

// Distances: the product of ratios; what is unknown says nothing; of equals the first.
static_assert(p::distance({2, {8, 3}}, {2, {2, 6}}) == 8 && p::distance({2, {8, 3}}, {2, {0, 3}}) == 1);
static_assert(p::nearest<few, many, as_few>({2, {3000, 1000}}) == 1);
static_assert(p::nearest<few, many, as_few>({2, {5, 1}}) == 2 && p::nearest<few, many>({2, {0, 0}}) == 0);

/// Both plans of one layer, loaded for so many columns and built for so many rows.
struct Layer {
    Host host;
    std::vector<float> memory = std::vector<float>(1 << 18), weight_memory = std::vector<float>(1 << 16);
    Arena temporaries{memory.data(), memory.size() * sizeof(float)},
        weights{weight_memory.data(), weight_memory.size() * sizeof(float)};
    Numbers source;
    nn::Loader<float, Numbers, Host> load{&source, host, weights};
    Program<Host> program;
    by_shape layer;

    explicit Layer(const p::Lengths& lengths) : layer(load, lengths) {}
    std::vector<float> on(std::vector<float>& x) {
        std::vector<float> ones(x.size(), 0.25f);
        const auto rows = static_cast<index_t>(x.size() / 4);
        const auto y = layer.build(nn::Build<float, Host>{&program, &temporaries, ""}, tensor(x.data(), rows, 4),
                                   tensor(ones.data(), rows, 4));
        program.run(host);
        return numbers_of(*y);
    }
};
TEST(PlannedByShape, ExtentsSelectAndWeightsAreLoadedOnce) {
    for (const index_t rows : {2, 1000}) {
        Layer run({2, {0, 64}});
        std::vector<float> x(static_cast<std::size_t>(rows) * 4);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) / 4 - 1;
        const std::vector<float> y = run.on(x);
        std::ranges::sort(run.source.read);
        EXPECT_EQ(run.source.read, (std::vector<std::string>{"w.bias", "w.weight"}));
        const int taken = by_shape::nearest({2, {rows, 64}});
        EXPECT_EQ(taken, rows == 2 ? 0 : 1) << "of the plans";
        EXPECT_EQ(run.program.size(), static_cast<std::size_t>(taken == 1 ? many::launches : few::launches));
        ASSERT_EQ(y.size(), static_cast<std::size_t>(rows) * 64);
        for (index_t i = 0; i < rows; i += rows / 2)
            for (index_t n = 0; n < 64; ++n) {
                double sum{Numbers::at(n)};
                for (index_t k = 0; k < 4; ++k) {
                    const double v{x[static_cast<std::size_t>(4 * i + k)]};
                    sum += double{Numbers::at(4 * n + k)} * v * 0.5 * std::erfc(-v / std::sqrt(2.0));
                }
                EXPECT_NEAR(double{y[static_cast<std::size_t>(64 * i + n)]}, sum, 1e-5);
            }
    }
}
TEST(PlannedByShape, AKnownShapeLoadsOnePlan) {
    Layer run({2, {1000, 64}});
    std::vector<float> x(4000, 1.0f), two(8, 1.0f);
    EXPECT_EQ(run.on(x).size(), 64000u);
    EXPECT_EQ(run.program.size(), static_cast<std::size_t>(many::launches));
    EXPECT_EQ(error_of([&] { run.on(two); }),
              "inlay: input 1 of a planned layer is [2, 4]: axis 0 of the layer is 2 by it, and 1000 by another tensor");
}
/// A part is computed once a prompt; steps behind it run the plan that it was computed by.
struct with_text {
    static constexpr auto graph() {
        constexpr auto text = p::input_from<1, p::Phase::prompt, p::dim<0>, 4>;
        constexpr auto x = p::input<0, p::dim<0>, 4>;
        return p::linear<"w", p::dim<1>, 4>(p::reduce<reduction::Sum>(text) * gelu(x));
    }
};
using few_rows = p::plan<with_text, p::on_host<4>, p::Shape<2, 1>>;
using many_rows = p::plan<with_text, p::on_host<4>, p::Shape<4096, 4096>>;
static_assert(!p::same_kernels<few_rows, many_rows>);
TEST(PlannedByShape, StepsRunThePlanOfThePhaseBeforeThem) {
    for (const index_t columns : {1, 4096}) {
        Layer memory({2, {0, 64}});
        const nn::PlannedByShape<float, few_rows, many_rows> layer(memory.load, {2, {0, columns}});
        std::vector<float> text = {1, 0, 2, 0, 0, 1, 0, 1}, x = {0, 1, 2, 3, 1, 1, 0, 0};
        Program<Host> once, step;
        const auto kept = layer.build_phase<p::Phase::prompt>(nn::Build<float, Host>{&once, &memory.temporaries, ""},
                                                              tensor(text.data(), 2, 4));
        EXPECT_EQ(kept.index(), columns == 1 ? 0u : 1u);
        const auto y = layer.build_behind(nn::Build<float, Host>{&step, &memory.temporaries, ""}, kept,
                                          tensor(x.data(), 2, 4));
        once.run(memory.host);
        step.run(memory.host);
        for (index_t row = 0; row < 2; ++row) {
            double sum{Numbers::at(0)};
            for (index_t k = 0; k < 4; ++k) {
                const double v{x[static_cast<std::size_t>(4 * row + k)]};
                sum += double{Numbers::at(k)} * (row == 0 ? 3 : 2) * v * 0.5 * std::erfc(-v / std::sqrt(2.0));
            }
            EXPECT_NEAR(double{(*y)(Extents<2>{{row, 0}})}, sum, 1e-5);
        }
    }
}
TEST(PlannedByShape, ExplainNamesTheChoice) {
    EXPECT_EQ((p::explain_choice<few, many, as_few>({2, {5, 1}})),
              "taken: plan 3 of 3, made for 4, 1: lengths 1.25 times off\n"
              "  not plan 1 of 3, made for 2, 1: lengths 2.5 times off, of the same kernels\n"
              "  not plan 2 of 3, made for 4096, 4096: lengths 3.355e+06 times off\n");
}

}  // namespace
