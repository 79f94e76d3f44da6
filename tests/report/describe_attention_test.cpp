// SPDX-License-Identifier: Apache-2.0
/// The report of an attention of sm_90a's engine; plan/attention/wgmma_test.cpp has the reasons of a refusal.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

template <int D>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>> {};

TEST(DescribeAttention, InputsOfWhatTheEngineTakesAreBoxed) {
    const auto x = shape(2, 8, 64, 64);
    const KernelReport l = of<attend<64>>(x, x, x, x);
    EXPECT_TRUE(l.attention.wgmma_types);
    EXPECT_EQ(l.attention.refused, nullptr);
    for (const Operand& o : l.operands) EXPECT_EQ(o.boxed, o.kind == OperandKind::input) << o.name;
}
TEST(DescribeAttention, OthersOnlySayWhy) {
    const auto x = shape(1, 1, 64, 48);
    const KernelReport l = of<attend<48>>(x, x, x, x);
    EXPECT_FALSE(l.attention.wgmma_types);
    EXPECT_STREQ(l.attention.refused, "it has no schedule for heads of this length");
    for (const Operand& o : l.operands) EXPECT_FALSE(o.boxed) << o.name;
}
// No tensor has data here; those that count as aligned are supposed to.
TEST(DescribeAttention, RefusesByExtentsAndStridesToo) {
    const auto x = shape(2, 8, 63, 64), kv = shape(2, 2, 63, 64);
    const KernelReport l = of<attend<64>>(x, x, kv, kv);
    EXPECT_TRUE(l.attention.wgmma_types);
    EXPECT_NE(l.attention.refused, nullptr);
}

}  // namespace
