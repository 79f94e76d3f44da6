// SPDX-License-Identifier: Apache-2.0
#include <inlay/rewrite/planner/class_data.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
namespace p = inlay::planner;

constexpr auto heads_of = [](auto x) { return p::heads<8>(x); };
using Padded = mask::If<decltype(coord<3> < buf<3>)>;
constexpr auto x = p::input<0, p::dim<0>, p::dim<1>, 16>;
constexpr auto lengths = p::input<1, p::dim<0>, 1, 1, 1>;

using Masked = decltype(p::attention<8, Padded>(heads_of(x), heads_of(x), heads_of(x), lengths));

TEST(OptionSlots, ATensorOfAMaskIsAnOperand) {
    using Core = Masked::core;
    EXPECT_EQ(Masked::operands::size, 4u);
    EXPECT_EQ(p::symbol_facts<Core>.expressions, 7);
    EXPECT_EQ(p::symbol_facts<Core>.views, 8);
    EXPECT_EQ((p::symbol_facts<p::core::Attention<8, mask::Causal>>.views), 0);
    const p::ClassData operands[4] = {
        {4, {2, 2, 5, 8}, p::Phase::load}, {4, {2, 2, 5, 8}, p::Phase::load}, {4, {2, 2, 5, 4}, p::Phase::load},
        {4, {2, 1, 1, 1}, p::Phase::prompt}};
    const p::ClassData d = p::detail::data_of<Core>::make(operands, {});
    EXPECT_EQ(d.extents[3], 4);
    EXPECT_EQ(d.phase, p::Phase::prompt);
}

TEST(OptionSlots, KernelsHaveItAtASlotOfTheirOwn) {
    EXPECT_TRUE((std::is_same_v<
                 p::core::Attention<8, Padded>::frame<Out, Store<0>, Buf<0>, Buf<0>, Buf<0>, Buf<1>>,
                 Attention<8, Buf<0>, Buf<0>, Buf<0>, mask::If<Less<Coord<3>, Buf<1>>>, Out, Store<0>>>));
    EXPECT_TRUE((std::is_same_v<
                 p::core::Attention<8, mask::Causal, score::Base2>::frame<Out, Store<0>, Buf<0>, Buf<1>, Buf<2>>,
                 Attention<8, Buf<0>, Buf<1>, Buf<2>, mask::Causal, score::Base2, Out, Store<0>>>));
    using Biased = score::Of<decltype(out * constant<1> + buf<3>)>;
    EXPECT_TRUE((std::is_same_v<p::core::Attention<8, Biased>::frame<Out, Store<0>, Buf<0>, Buf<1>, Buf<2>, Buf<5>>,
                                Attention<8, Buf<0>, Buf<1>, Buf<2>,
                                          score::Of<Add<Mul<Out, Const<1>>, Buf<5>>>, Out, Store<0>>>));
    // The slots of a window's width too.
    EXPECT_TRUE((std::is_same_v<
                 p::core::Attention<8, mask::Window<Buf<3>>>::frame<Out, Store<0>, Buf<0>, Buf<1>, Buf<2>, Buf<3>>,
                 Attention<8, Buf<0>, Buf<1>, Buf<2>, mask::Window<Buf<3>>, Out, Store<0>>>));
}

}  // namespace
