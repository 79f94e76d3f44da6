// SPDX-License-Identifier: Apache-2.0
/// Weights of planned layers on their way from the file.
#include "layer.hpp"

#include <inlay/nn/attention_rules.hpp>

#include <algorithm>

namespace {

using namespace inlay_test::planned;

/// Two kernels read one weight, and both add its bias.
struct one_weight {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, 4>;
        return p::linear<"w", 4, 4>(silu(p::materialize(p::linear<"w", 4, 4>(x))));
    }
};
TEST(PlannedWeights, AWeightOfTwoKernelsIsLoadedOnce) {
    using plan = p::plan<one_weight, p::on_host<4>, p::Shape<8>>;
    static_assert(plan::launches == 2);
    OnHost<plan> run;
    std::ranges::sort(run.source.read);
    EXPECT_EQ(run.source.read, (std::vector<std::string>{"w.bias", "w.weight"}));
    std::vector<float> x = {1, -1, 0.5f, 2};
    const auto y = run.build(tensor(x.data(), 1, 4));
    run.program.run(run.host);
    std::vector<double> in(x.begin(), x.end());
    for (const bool last : {false, true}) {
        std::vector<double> to(4);
        for (index_t n = 0; n < 4; ++n) {
            double sum = Numbers::at(n);
            for (index_t k = 0; k < 4; ++k) sum += in[static_cast<std::size_t>(k)] * Numbers::at(4 * n + k);
            to[static_cast<std::size_t>(n)] = last ? sum : sum / (1 + std::exp(-sum));
        }
        in = to;
    }
    for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(numbers_of(*y)[n], in[n], 1e-6);
}

struct self_attention {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, 128>;
        return p::merge_heads(p::attention<64>(p::heads<64>(p::linear_without_bias<"q", 128, 128>(x)),
                                               p::heads<64>(p::linear_without_bias<"k", 128, 128>(x)),
                                               p::heads<64>(p::linear_without_bias<"v", 128, 128>(x))));
    }
};
/// Weights computed at load: the joined one is of the layer's type, factors of its columns are not.
TEST(PlannedWeights, FactorsOfColumnsAreOfFp32InA16BitLayer) {
    using plan = p::plan<self_attention, p::on_sm90a<2>, p::Shape<2, 4096>, nn::attention_rules<fp16, 64>>;
    static_assert(plan::launches == 2 && plan::kernels[0].slots == 2 && plan::kernels[0].weights == 1);
    constexpr int factors = plan::kernels[0].slot[1];
    static_assert(plan::facts.value[factors].rank == 1 && plan::facts.value[factors].extents[0] == 3 * 128);
    Host host;
    std::vector<float> memory(1 << 17);
    Arena arena(memory.data(), memory.size() * sizeof(float));
    const Numbers source;
    const nn::Loader<fp16, Numbers, Host> load(&source, host, arena);
    nn::detail::Weights weights;
    nn::detail::ReadOnce<fp16> read;
    nn::detail::keep_weights<plan, 0, fp16>(load, {2, {0, 0}}, weights, read);
    EXPECT_EQ(source.read, (std::vector<std::string>{"q.weight", "k.weight", "v.weight"}))
        << "the joined weight and the factors of its columns read them once";
    const auto* by = static_cast<const float*>(weights.at({factors, nn::detail::Form::plain}).data);
    for (int i = 0; i < 3 * 128; ++i)
        EXPECT_FLOAT_EQ(by[i], i < 128 ? static_cast<float>(1.4426950408889634 / 8) : 1.0f) << i;
    EXPECT_TRUE((std::is_same_v<nn::detail::stored_as<plan, fp16, factors>, float>));
    EXPECT_TRUE((std::is_same_v<nn::detail::stored_as<plan, fp16, plan::kernels[0].weight[0]>, fp16>));
    EXPECT_TRUE((std::is_same_v<nn::detail::stored_as<plan, float, factors>, float>));
}

/// Products bound as matrices, whatever the rank of the layer's tensors; heads and images keep their axes.
struct rows {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, 8>;
        return silu(p::linear<"w", 8, 8>(x)) + x;
    }
};
struct of_image {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, p::dim<1>, 8>;
        return p::linear<"w", 8, 8>(x) + p::input<1, p::dim<0>, 1, 1, 8>;
    }
};
TEST(PlannedRows, ProductsOfRowsAreOfMatrices) {
    const auto x = tensor<float>(nullptr, 2, 3, 8);
    using of_rows = p::plan<rows, p::on_sm90a<4>, p::Shape<2, 4096>>;
    using of_a_row_per_image = p::plan<of_image, p::on_sm90a<4>, p::Shape<2, 64>>;
    using in_heads = p::plan<self_attention, p::on_sm90a<2>, p::Shape<2, 4096>, nn::attention_rules<fp16, 64>>;
    static_assert(of_rows::launches == 1 && of_a_row_per_image::launches == 1);
    EXPECT_EQ((nn::detail::as_bound<of_rows, 0>(x).extents), (Extents<2>{{6, 8}}));
    EXPECT_TRUE((nn::detail::is_of_rows<of_rows, 0>()));
    EXPECT_FALSE((nn::detail::is_of_rows<of_a_row_per_image, 0>()));
    EXPECT_FALSE((nn::detail::is_of_rows<in_heads, 0>()));
    EXPECT_FALSE((nn::detail::is_of_rows<in_heads, 1>()));
}

/// The rows of a gated product: 16 of what is gated, then 16 of the gate.
TEST(PlannedWeights, RowsOfTwoHalvesArePaired) {
    constexpr int n = 32, k = 5;
    nn::detail::HostTensor<float> t{{2, {2 * n, k}},
                                    nn::HostArray<float>(std::make_shared<nn::HostPool>(), 2 * n * k)};
    for (std::size_t i = 0; i < t.elements.size(); ++i) t.elements[i] = static_cast<float>(i);
    nn::detail::pair_rows(t);
    for (int row = 0; row < n; ++row)
        for (int i = 0; i < k; ++i) {
            const auto to = static_cast<std::size_t>((row / 16 * 32 + row % 16) * k + i);
            EXPECT_EQ(t.elements[to], static_cast<float>(row * k + i));
            EXPECT_EQ(t.elements[to + 16 * k], static_cast<float>((n + row) * k + i));
        }
}

}  // namespace
