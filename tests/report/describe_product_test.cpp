// SPDX-License-Identifier: Apache-2.0
/// The problem that a product's frame hands to a target: its extents and types, and what the copy engine maps.
#include "launches.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct product : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct silu_product : Linear<Silu<Buf<0>>> {};
struct conv : Conv2D<Filter<3>> {};

std::string boxed(const KernelReport& l) {
    std::string s;
    for (const Operand& o : l.operands)
        if (o.boxed) s += (s.empty() ? "" : ", ") + o.name;
    return s;
}

TEST(DescribeProduct, Extents) {
    const KernelReport l = of<product>(shape(3, 128, 320), shape(320, 640), shape(3, 128, 640), shape(320));
    EXPECT_EQ(l.gemm.shape.m, 384);
    EXPECT_EQ(l.gemm.shape.n, 320);
    EXPECT_EQ(l.gemm.shape.k, 640);
    EXPECT_EQ(l.gemm.shape.segments, 1);
    EXPECT_EQ(l.multiplied, DType::f16);
    EXPECT_EQ(boxed(l), "Buf<0>, weight 0");
}
TEST(DescribeProduct, WindowsAndTypes) {
    const KernelReport l = of<conv>(shape(2, 8, 8, 64), shape(64, 3, 3, 32), shape(2, 8, 8, 32));
    EXPECT_EQ(l.gemm.shape.segments, 9);
    EXPECT_EQ(l.gemm.window.rows, 3);
    const KernelReport mixed =
        of<product>(shape<float>(128, 64), shape<fp16>(64, 64), shape<float>(128, 64), shape<float>(64));
    EXPECT_EQ(mixed.multiplied, DType::f32);
    EXPECT_TRUE(mixed.gemm.converts);
}
}  // namespace
