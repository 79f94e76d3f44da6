// SPDX-License-Identifier: Apache-2.0
/// Footprints of a bound expression, as the vector that `explain` names for each tensor.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct plain : Linear<> {};
struct sliced : Linear<Slice<Buf<0>, -1, 4, 64>> {};
struct swapped : Linear<Transpose<Buf<0>, -1, -2>> {};
struct doubled : Linear<Upsample<Buf<0>, 2, -1>> {};

TEST(Footprint, VectorsAreAsWideAsRunsAndAddressesAllow) {
    const auto y = shape<fp16>(64, 320), w = shape<fp16>(320, 64);
    const auto x = [&](const auto& t) { return line<plain>("Buf<0>", sm80_target, y, w, t); };
    EXPECT_EQ(x(shape<fp16>(64, 64)), "[64, 64] fp16, plain, cp.async, 8 x fp16");
    EXPECT_EQ(x(Tensor<fp16, 2>(nullptr, {{64, 64}}, {{72, 1}})), "[64, 64] fp16, plain, cp.async, 8 x fp16");
    EXPECT_EQ(x(Tensor<fp16, 2>(nullptr, {{64, 64}}, {{66, 1}})),
              "[64, 64] fp16, plain, cp.async, 2 x fp16 (aligned to 2)");
    EXPECT_EQ(x(Tensor<fp16, 2>(nullptr, {{64, 64}}, {{65, 1}})),
              "[64, 64] fp16, plain, scalar loads, 1 x fp16 (aligned to 1)");
    EXPECT_EQ(x(Tensor<fp16, 2>(reinterpret_cast<fp16*>(264), {{64, 64}})),
              "[64, 64] fp16, plain, cp.async, 4 x fp16 (aligned to 4)");
    EXPECT_EQ(x(Tensor<fp16, 2>(nullptr, {{64, 64}}, {{128, 2}})),
              "[64, 64] fp16, plain, scalar loads, 1 x fp16 (stride 2)");
    EXPECT_EQ(x(Tensor<fp16, 2>(nullptr, {{64, 64}}, {{1, 64}})),
              "[64, 64] fp16, plain, cp.async, 8 x fp16 (across rows)");
    EXPECT_EQ(line<plain>("Buf<0>", sm80_target, y, shape<fp16>(320, 77), shape<fp16>(64, 77)),
              "[64, 77] fp16, plain, scalar loads, 1 x fp16 (runs of 77)");
    // The host's vectors may start anywhere.
    EXPECT_EQ(line<plain>("Buf<0>", host_target, y, shape<fp16>(320, 77), shape<fp16>(64, 77)),
              "[64, 77] fp16, plain, vector loads, " + std::to_string(host_lanes) + " x fp16");
}

TEST(Footprint, ViewsKeepTheCopyEngineWhereTheyCan) {
    const auto y = shape<fp16>(64, 320), w = shape<fp16>(320, 64);
    EXPECT_EQ(line<sliced>("Buf<0>", sm80_target, y, w, shape<fp16>(64, 72)),
              "[64, 72] fp16, affine view (Slice), cp.async, 4 x fp16 (aligned to 4)");
    EXPECT_EQ(line<swapped>("Buf<0>", sm80_target, y, w, shape<fp16>(64, 64)),
              "[64, 64] fp16, affine view (Transpose), cp.async, 8 x fp16 (across rows)");
    EXPECT_EQ(line<swapped>("Buf<0>", host_target, y, w, shape<fp16>(64, 64)),
              "[64, 64] fp16, affine view (Transpose), scalar loads, 1 x fp16 (stride 64)");
    EXPECT_EQ(line<doubled>("Buf<0>", sm80_target, y, w, shape<fp16>(64, 32)),
              "[64, 32] fp16, piecewise view (Upsample), scalar loads, 1 x fp16 (uneven steps)");
}

struct mixed : Linear<Add<Buf<0>, Mul<Concat<-1, Buf<1>, Buf<2>>, Buf<3>>>> {};
struct far_piece : Elementwise<Silu<Concat<0, Buf<0>, Concat<1, Buf<1>, Buf<2>>>>> {};

TEST(Footprint, OneOperandDoesNotDemoteAnother) {
    const auto of = [](const char* operand) {
        return line<mixed>(operand, sm80_target, shape<fp16>(64, 320), shape<fp16>(320, 64), shape<fp16>(64, 64),
                           shape<fp16>(64, 4), shape<fp16>(64, 60), shape<float>(64, 1));
    };
    EXPECT_EQ(of("Buf<0>"), "[64, 64] fp16, plain, cp.async, 8 x fp16");
    EXPECT_EQ(of("Buf<1>"), "[64, 4] fp16, piecewise view (Concat), cp.async, 4 x fp16 (runs of 4)");
    EXPECT_EQ(of("Buf<2>"), "[64, 60] fp16, piecewise view (Concat), cp.async, 4 x fp16 (runs of 60)");
    EXPECT_EQ(of("Buf<3>"), "[64, 1] fp32, plain, one value a row, kept in a register");
    // A piece that lies off every axis through the origin.
    EXPECT_EQ(line<far_piece>("Buf<2>", sm80_target, shape<fp16>(4, 10, 64), shape<fp16>(2, 10, 64),
                              shape<fp16>(2, 4, 64), shape<fp16>(2, 6, 64)),
              "[2, 6, 64] fp16, piecewise view (Concat), vector loads, 8 x fp16");
}

}  // namespace
