// SPDX-License-Identifier: Apache-2.0
/// Planned layers while they are built and run: inputs, phases, results, placements by hand, and temporaries.
#include "layer.hpp"

#include <memory>

namespace {

using namespace inlay_test::planned;

struct shared_axis {
    static constexpr auto graph() { return p::input<0, p::dim<0>, 2 * p::dim<1>> + p::input<1, p::dim<1>, p::dim<0>>; }
};
struct multiples {
    static constexpr auto graph() { return silu(p::input<0, p::dim<0>, 2 * p::dim<1>, 3>); }
};
template <class Layer>
using host_plan = p::plan<Layer, p::on_host<4>, p::Shape<4, 8>>;

TEST(PlannedValues, AMisfitOfAnInputIsOneSentence) {
    const auto built = [](const Tensor<float, 3>& x) {
        return error_of([&] { OnHost<host_plan<multiples>>().build(x); });
    };
    EXPECT_EQ(built(tensor<float>(nullptr, 2, 4, 3)), "");
    EXPECT_EQ(built(tensor<float>(nullptr, 2, 4, 5)),
              "inlay: input 0 of a planned layer is [2, 4, 5], expected 3 on axis 2");
    EXPECT_EQ(built(tensor<float>(nullptr, 2, 5, 3)),
              "inlay: input 0 of a planned layer is [2, 5, 3]: axis 1 is not 2/1 of a whole number");
    const auto x = tensor<float>(nullptr, 3, 6);
    EXPECT_EQ(error_of([&] { OnHost<host_plan<shared_axis>>().build(x, tensor<float>(nullptr, 2, 3)); }),
              "inlay: input 1 of a planned layer is [2, 3]: axis 1 of the layer is 2 by it, and 3 by another tensor");
}

struct two_results {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, 4>;
        return p::outputs(p::reduce<reduction::Sum>(x), x * x);
    }
};
TEST(PlannedValues, ALayerOfTwoResults) {
    std::vector<float> x = {1, 2, 3, 4, -1, 0, 1, 2};
    OnHost<host_plan<two_results>> run;
    const auto [sums, squares] = run.build(tensor(x.data(), 2, 4));
    run.program.run(run.host);
    EXPECT_EQ(sums->extents, (Extents<2>{{2, 1}}));
    EXPECT_EQ(numbers_of(*sums), (std::vector<float>{10, 2}));
    EXPECT_EQ(numbers_of(*squares), (std::vector<float>{1, 4, 9, 16, 1, 0, 1, 4}));
}

/// The text is read once; each step adds it to an input of its own.
struct with_text {
    static constexpr auto graph() {
        constexpr auto text = p::input_from<1, p::Phase::prompt, p::dim<0>, 4>;
        return p::softmax(p::input<0, p::dim<0>, 4> + p::reduce<reduction::Sum>(text) * text);
    }
};
TEST(PlannedValues, WorkOfAnEarlierPhaseIsDoneThere) {
    std::vector<float> text = {1, 0, 2, 0, 0, 1, 0, 1}, x = {0, 1, 2, 3, 1, 1, 0, 0};
    OnHost<host_plan<with_text>> run;
    const auto kept = run.layer.build_phase<p::Phase::prompt>(run.to(), tensor(text.data(), 2, 4));
    const std::size_t once = run.program.size();
    Program<Host> step;
    const auto y = run.layer.build_behind(run.to(step), kept, tensor(x.data(), 2, 4));
    EXPECT_GT(once, 0u);
    EXPECT_EQ(step.size(), 1u);
    run.program.run(run.host);
    for (const float shift : {0.0f, 1.0f}) {
        for (float& v : x) v += shift * v;
        step.run(run.host);
        for (int row = 0; row < 2; ++row) {
            const float* t = text.data() + 4 * row;
            double e[4], sum = 0;
            for (int i = 0; i < 4; ++i)
                sum += e[i] = std::exp(x[static_cast<std::size_t>(4 * row + i)] + (t[0] + t[1] + t[2] + t[3]) * t[i]);
            for (int i = 0; i < 4; ++i) EXPECT_NEAR((*y)(Extents<2>{{row, i}}), e[i] / sum, 1e-6);
        }
    }
}

struct materialized {
    static constexpr auto graph() { return silu(p::materialize(exp(p::input<0, p::dim<0>, 4>))); }
};
struct as_it_falls {
    static constexpr auto graph() { return silu(exp(p::input<0, p::dim<0>, 4>)); }
};
TEST(PlannedValues, APlacementByHandIsObeyed) {
    std::vector<float> x = {0, 1, -1, 2};
    const auto launches_and_first = [&]<class Layer>(Layer) {
        OnHost<host_plan<Layer>> run;
        const auto y = run.build(tensor(x.data(), 1, 4));
        run.program.run(run.host);
        const double e = std::exp(1.0);
        EXPECT_NEAR(numbers_of(*y)[1], e / (1 + std::exp(-e)), 1e-6);
        return run.program.size();
    };
    EXPECT_EQ(launches_and_first(as_it_falls{}), 1u);
    EXPECT_EQ(launches_and_first(materialized{}), 2u);
}

/// A chain of five tensors in memory, the last one its result.
struct chain {
    static constexpr auto graph() {
        using p::materialize;
        constexpr auto x = p::input<0, p::dim<0>, 64>;
        return exp(materialize(sin(materialize(cos(materialize(tanh(materialize(silu(x)))))))));
    }
};
TEST(PlannedValues, MemoryIsGivenBackBehindTheLastReader) {
    OnHost<host_plan<chain>> run;
    Arena measuring;
    const auto x = tensor<float>(nullptr, 16, 64);
    const auto y = run.layer.build(nn::Build<float, Host>{&run.program, &measuring, ""}, x);
    EXPECT_EQ(run.program.size(), 5u);
    EXPECT_EQ(measuring.measured(), 2u * 16 * 64 * sizeof(float));
}

}  // namespace
