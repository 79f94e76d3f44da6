// SPDX-License-Identifier: Apache-2.0
/// Keys of what plans of a layer load once: weights and all that is computed from them have one in all plans.
#include "layer.hpp"

#include <inlay/nn/planned/loaded.hpp>

#include <algorithm>
#include <string_view>

namespace {

using namespace inlay_test::planned;
using nn::detail::term_key;

/// Two products and their biases; the second also in a layer that begins with it, so that values have other numbers.
struct both {
    static constexpr auto graph() {
        return p::linear<"b", 4, 4>(p::materialize(silu(p::linear<"a", 4, 4>(p::input<0, p::dim<0>, 4>))));
    }
};
struct second_alone {
    static constexpr auto graph() { return p::linear<"b", 4, 4>(p::input<0, p::dim<0>, 4>); }
};
using of_both = p::plan<both, p::on_host<4>, p::Shape<8>>;
using of_second = p::plan<second_alone, p::on_host<4>, p::Shape<8>>;

/// The value of the weight that a kernel named `name` multiplies by.
template <class Plan>
int weight_of(std::string_view name) {
    for (int k = 0; k < Plan::launches; ++k)
        if (Plan::name_of(k) == name) return Plan::kernels[k].weight[0];
    ADD_FAILURE() << "no kernel " << name;
    return 0;
}

TEST(PlannedLoaded, AWeightHasOneKeyInEveryPlan) {
    const int in_both = weight_of<of_both>("b"), alone = weight_of<of_second>("b");
    EXPECT_NE(in_both, alone) << "values are numbered by plan, else this shows nothing";
    EXPECT_EQ(term_key<of_both>(in_both), term_key<of_second>(alone));
    EXPECT_EQ(term_key<of_both>(in_both).size(), 1u) << "a weight of the file has no operands";
}
TEST(PlannedLoaded, OtherWeightsHaveOtherKeys) {
    EXPECT_NE(term_key<of_both>(weight_of<of_both>("a")), term_key<of_both>(weight_of<of_both>("b")));
    const auto& kernel = of_second::kernels[0];
    for (int i = 0; i < kernel.slots; ++i)
        EXPECT_NE(term_key<of_second>(kernel.slot[i]), term_key<of_second>(kernel.weight[0])) << "slot " << i;
}
/// A value that is computed is keyed by all that it is computed from.
TEST(PlannedLoaded, AComputedValueIsKeyedByItsTerm) {
    const auto& last = of_both::kernels[of_both::launches - 1];
    const nn::detail::TermKey key = term_key<of_both>(last.output[0]);
    for (const char* const name : {"a", "b"}) {
        const nn::detail::TermKey weight = term_key<of_both>(weight_of<of_both>(name));
        EXPECT_NE(std::ranges::find(key, weight[0]), key.end()) << name;
    }
    EXPECT_NE(key, term_key<of_second>(of_second::kernels[0].output[0]));
}

}  // namespace
