// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>
#include <inlay/report/describe.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

template <class... I>
auto shape(I... extents) {
    return tensor<fp16>(nullptr, extents...);
}
/// Kinds of what a kernel fuses, in order.
template <class K, class... A>
std::string fused(const A&... arguments) {
    std::string s;
    for (const Fusion& f : describe<K>(prepare<K>(arguments...)).fusions) s += (s.empty() ? "" : " ") + f.kind;
    return s;
}

struct bias : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct residual : Linear<Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct sliced : Linear<Slice<Buf<0>, -1, 0, 8>> {};
struct turned : Linear<Transpose<Buf<0>, -1, -2>, Out, Permuted<Store<0>, 1, 0>> {};
struct parts : Linear<Buf<0>, Out, Partition<-1, Store<0>, Store<1>>> {};
struct scaled : Linear<Buf<0>, Mul<Out, Param<0>>> {};
struct columns_scaled : Linear<Buf<0>, Mul<Out, Buf<1>>> {};

TEST(Fusions, ABiasComesWithItsLayer) {
    EXPECT_EQ(fused<bias>(shape(4, 8), shape(8, 8), shape(4, 8), shape(8)), "");
    EXPECT_EQ(fused<residual>(shape(4, 8), shape(8, 8), shape(4, 8), shape(8), shape(4, 8)), "Silu Add");
    EXPECT_EQ(fused<scaled>(shape(4, 8), shape(8, 8), shape(4, 8), 2.0), "Mul");
}
TEST(Fusions, AFactorOfColumnsComesWithItsWeights) {
    EXPECT_EQ(fused<columns_scaled>(shape(4, 8), shape(8, 8), shape(4, 8), shape(8)), "");
    EXPECT_EQ(fused<columns_scaled>(shape(4, 8), shape(8, 8), shape(4, 8), shape(4, 8)), "Mul");
}
TEST(Fusions, ViewsOfMemoryAreFreeAndReorderingIsNot) {
    EXPECT_EQ(fused<sliced>(shape(4, 8), shape(8, 8), shape(4, 16)), "");
    EXPECT_EQ(fused<turned>(shape(8, 4), shape(8, 8), shape(8, 4)), "Transpose Permuted");
}
TEST(Fusions, APartitionSavesReadingTheInputAgain) {
    const KernelReport l = describe<parts>(prepare<parts>(shape(4, 8), shape(4, 8), shape(16, 8), shape(4, 8)));
    ASSERT_EQ(l.fusions.size(), 1u);
    EXPECT_EQ(l.fusions[0].kind, "Partition");
    EXPECT_EQ(l.fusions[0].bytes, 2 * 4 * 8);
}
TEST(Fusions, AnIntermediateIsWrittenAndRead) {
    const KernelReport l = describe<residual>(
        prepare<residual>(shape(4, 8), shape(8, 8), shape(4, 8), shape(8), shape(4, 8)));
    EXPECT_EQ(l.fusions[0].bytes, 2 * 2 * 4 * 8);
    EXPECT_EQ(l.saved(), 2 * 2 * 2 * 4 * 8);
    EXPECT_EQ(l.unfused(), 3);
}

}  // namespace
