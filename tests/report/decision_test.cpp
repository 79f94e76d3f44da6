// SPDX-License-Identifier: Apache-2.0
/// The decision of a kernel of each family, and the engine that it names.
#include "launches.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct product : Linear<> {};
struct silu_product : Linear<Silu<Buf<0>>> {};
struct norm : LayerNorm<> {};
struct sum : Reduce<reduction::Sum> {};
struct copy : Elementwise<Buf<0>> {};
struct attend : Attention<64, Buf<0>, Buf<1>, Buf<2>> {};

TEST(KernelDecision, ProductsOfHopper) {
    const KernelReport l = of<product>(shape(512, 640), shape(640, 640), shape(512, 640));
    const KernelDecision there = decide(l, sm90a_target), elsewhere = decide(l, sm80_target);
    EXPECT_TRUE(there.wgmma);
    EXPECT_EQ(there.why_not_wgmma, nullptr);
    EXPECT_EQ(&there.engine(sm90a_target), &sm90a_products);
    EXPECT_FALSE(elsewhere.wgmma);
    EXPECT_STREQ(elsewhere.why_not_wgmma, "the target has no code for sm_90a");
    EXPECT_EQ(&elsewhere.engine(sm80_target), &sm80_target);
    EXPECT_FALSE(there.evaluates_first());
}
TEST(KernelDecision, IsThatOfItsFamily) {
    const auto x = shape(64, 640);
    const KernelReport normed = of<norm>(x, shape(640), shape(640), x), summed = of<sum>(shape(64, 1), x),
                       copied = of<copy>(x, x);
    EXPECT_EQ(decide(normed, sm90a_target).norm.engine, decide(normed.norm, sm90a_target).engine);
    EXPECT_EQ(decide(summed, sm90a_target).reduce.engine, decide(summed.reduce, sm90a_target).engine);
    EXPECT_FALSE(decide(copied, sm90a_target).wgmma);
    const auto q = shape(2, 8, 256, 64);
    const KernelReport attended = of<attend>(q, q, q, q);
    EXPECT_EQ(decide(attended, sm90a_target).attention.engine, AttentionEngine::wgmma);
    EXPECT_TRUE(decide(attended, sm90a_target).wgmma);
    EXPECT_EQ(decide(attended, host_target).attention.engine, AttentionEngine::host);
}
/// An input that is evaluated by a kernel before a large product is said to be.
TEST(KernelDecision, EvaluatesFirst) {
    bool some = false, all = true;
    for (const index_t m : {64, 4096}) {
        const KernelReport l = of<silu_product>(shape(m, 1280), shape(1280, 1280), shape(m, 1280));
        const KernelDecision d = decide(l, sm90a_target);
        EXPECT_EQ(d.evaluates_first(), d.gemm.before == GemmBefore::evaluates_input);
        some = some || d.evaluates_first(), all = all && d.evaluates_first();
    }
    EXPECT_TRUE(some);
}

}  // namespace
