// SPDX-License-Identifier: Apache-2.0
/// Bindings of the upsampled convolutions of a plan. Their numbers: `planned_rules_test.cpp`.
#include "layer.hpp"

#include <inlay/nn/planned/by_phases.hpp>
#include <inlay/nn/planned/values.hpp>
#include <inlay/rewrite/planner/rules/list.hpp>

namespace {

using namespace inlay_test::planned;

struct upsampled {
    static constexpr auto graph() {
        constexpr auto c = p::dim<3>;
        return silu(p::conv<"conv", c, c, 3>(upsample2x(p::input<0, p::dim<0>, p::dim<1>, p::dim<2>, c>)));
    }
};
using Shape = p::Shape<2, 64, 64, 320>;
using Rules = p::rules_for<egraph::symbols_of<p::term_of<decltype(upsampled::graph())>>>;
using by_phases = p::plan<upsampled, p::on_host<4>, Shape, typename Rules::joined>;
using as_written = p::plan<upsampled, p::on_host<4>, Shape>;
static_assert(by_phases::launches == 1 && as_written::launches == 1);

TEST(PlannedByPhases, AreConvolutionsThatARuleUpsamplesAlone) {
    EXPECT_TRUE((nn::detail::is_by_phases<by_phases, 0>()));
    EXPECT_FALSE((nn::detail::is_by_phases<as_written, 0>()));
}
TEST(PlannedByPhases, TheOutputHasABatchOfOneBeforeIt) {
    std::vector<float> y(1);
    const auto image = tensor(y.data(), 2, 10, 14, 320);
    const auto bound = nn::detail::as_bound_by_phases<by_phases, 0>(image);
    EXPECT_EQ(bound.extents, (Extents<5>{{1, 2, 10, 14, 320}}));
    EXPECT_EQ(bound.data, y.data());
    EXPECT_EQ((nn::detail::as_bound_by_phases<as_written, 0>(image).extents), (Extents<4>{{2, 10, 14, 320}}));
}
TEST(PlannedByPhases, ScalarsAreRowsAndColumnsOfTheInputAndFourTimesItsChannels) {
    const nn::detail::Extents_of<by_phases> extents(p::Lengths{4, {2, 5, 7, 320}});
    EXPECT_EQ((nn::detail::scalars_of<by_phases, 0>(extents)), std::make_tuple(5, 7, 4 * 320));
    const nn::detail::Extents_of<as_written> plain(p::Lengths{4, {2, 5, 7, 320}});
    EXPECT_EQ((nn::detail::scalars_of<as_written, 0>(plain)), std::make_tuple());
}

}  // namespace
