// SPDX-License-Identifier: Apache-2.0
/// `explain` of attention on sm_80, gfx942 and sm_90a, letter by letter.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct attend : Attention<40, Buf<0>, Buf<1>, Buf<2>, Permuted<Store<0>, 0, 2, 1, 3>> {};

TEST(ExplainAttention, OnThePortableEngine) {
    EXPECT_EQ(on<attend>(sm80_target, shape<fp16>(2, 4096, 8, 40), shape<fp16>(2, 8, 4096, 40),
                         shape<fp16>(2, 8, 77, 40), shape<fp16>(2, 8, 77, 40)),
              R"(
attend
  frame     attention [2, 8, 4096, 40] fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Buf<0>
  input     Buf<1>
  input     Buf<2>
  access    plain
  Buf<0>    [2, 8, 4096, 40] fp16, plain, cp.async, 8 x fp16
  Buf<1>    [2, 8, 77, 40] fp16, plain, cp.async, 8 x fp16
  Buf<2>    [2, 8, 77, 40] fp16, plain, cp.async, 8 x fp16
  epilogue  Out
  sink      Permuted<Store<0>, 0, 2, 1, 3>
  schedule  128x96, 2 stages, 4 warps (measured on an H200)
  work      807 MFLOP, 10.7 MB, at least 5.2 us by memory
  saves     1 launch and 10.5 MB: Permuted
)");
}

TEST(ExplainAttention, OnAmd) {
    EXPECT_EQ(on<attend>(gfx942_target, shape<fp16>(2, 4096, 8, 40), shape<fp16>(2, 8, 4096, 40),
                         shape<fp16>(2, 8, 77, 40), shape<fp16>(2, 8, 77, 40)),
              R"(
attend
  frame     attention [2, 8, 4096, 40] fp16, gfx942, v_mfma_f32_16x16x16_f16, multiplies fp16, accumulates fp32
  input     Buf<0>
  input     Buf<1>
  input     Buf<2>
  access    plain
  Buf<0>    [2, 8, 4096, 40] fp16, plain, 16-byte loads through registers, 8 x fp16
  Buf<1>    [2, 8, 77, 40] fp16, plain, 16-byte loads through registers, 8 x fp16
  Buf<2>    [2, 8, 77, 40] fp16, plain, 16-byte loads through registers, 8 x fp16
  epilogue  Out
  sink      Permuted<Store<0>, 0, 2, 1, 3>
  schedule  128x64, 2 stages, 4 warps (by rule, not measured)
  work      807 MFLOP, 10.7 MB, at least 2.0 us by memory
  saves     1 launch and 10.5 MB: Permuted
)");
}

TEST(ExplainAttention, OnTheEngineOfWgmma) {
    EXPECT_EQ(on<attend>(sm90a_target, shape<fp16>(2, 4096, 8, 40), shape<fp16>(2, 8, 4096, 40),
                         shape<fp16>(2, 8, 4096, 40), shape<fp16>(2, 8, 4096, 40)),
              R"(
attend
  frame     attention [2, 8, 4096, 40] fp16, sm_90a, wgmma.m64nNk16, multiplies fp16, accumulates fp32
  input     Buf<0>
  input     Buf<1>
  input     Buf<2>
  access    plain
  Buf<0>    [2, 8, 4096, 40] fp16, plain, TMA, rows of 48 x fp16
  Buf<1>    [2, 8, 4096, 40] fp16, plain, TMA, rows of 48 x fp16
  Buf<2>    [2, 8, 4096, 40] fp16, plain, TMA, rows of 48 x fp16
  epilogue  Out
  sink      Permuted<Store<0>, 0, 2, 1, 3>
  schedule  256x64, 4 stages, 4 warpgroups in turn, 256 blocks (measured on an H200)
  bound     special functions; by rule 137072 clocks = 6000 + 2 rounds x 64.0 blocks of keys x 1024, of a block: )"
              "matrix unit 704,\n"
              R"(            special functions 1024, of all: memory 11449
  work      42.9 GFLOP, 21 MB, at least 43.4 us by the matrix unit
  saves     1 launch and 10.5 MB: Permuted
)");
}

struct of_functions : Attention<64, Sin<Buf<0>>, Buf<1>, Exp<Buf<2>>, mask::Causal> {};
TEST(ExplainAttention, SaysWhatIsEvaluatedBefore) {
    const auto x = shape(2, 8, 4096, 64);
    const KernelReport l = of<of_functions>(x, x, x, x);
    EXPECT_EQ(line("access", l),
              "pointwise over views (Sin); applied by a kernel before: 2 operations, 2 special per element");
    EXPECT_EQ(line("Buf<0>", l), "[2, 8, 4096, 64] fp16, plain, vector loads, 8 x fp16");
    EXPECT_EQ(line("Buf<1>", l), "[2, 8, 4096, 64] fp16, plain, TMA, rows of 64 x fp16");
    EXPECT_EQ(line("schedule", l).substr(0, 61), "three kernels: Q and V are evaluated into workspace, then 256");
    EXPECT_EQ(line("Buf<0>", l, sm80_target), "[2, 8, 4096, 64] fp16, plain, cp.async, 8 x fp16");
    const auto one = shape(2, 8, 1, 64);
    EXPECT_EQ(line("portable", of<of_functions>(one, one, x, x)),
              "its operands are evaluated in less time as they are read");
}

template <int D>
struct heads : Attention<D, Buf<0>, Buf<1>, Buf<2>> {};

// Of powers of two, a row of 40 leaves the product columns for the maxima.
struct base2 : Attention<40, Buf<0>, Buf<1>, Buf<2>, score::Base2> {};
TEST(ExplainAttention, SaysWhereMaximaAreSubtracted) {
    const auto q = shape(2, 8, 4096, 40), text = shape(2, 8, 77, 40);
    EXPECT_EQ(line("schedule", of<base2>(q, q, q, q)),
              "256x64, 4 stages, 4 warpgroups in turn, 256 blocks, the product subtracts maxima (measured on an H200)");
    EXPECT_EQ(line("Buf<1>", of<base2>(q, q, q, q)), "[2, 8, 4096, 40] fp16, plain, TMA, rows of 40 x fp16");
    EXPECT_EQ(line("schedule", of<base2>(q, q, text, text)), line("schedule", of<heads<40>>(q, q, text, text)));
    EXPECT_EQ(line("Buf<1>", of<base2>(q, q, text, text)), "[2, 8, 77, 40] fp16, plain, TMA, rows of 48 x fp16");
}

// Scores that grow with the key: from the last block of keys on, unless slopes vary along them.
using Distance = Mul<Buf<3>, Sub<QueryPosition, Coord<3>>>;
struct alibi : Attention<128, Buf<0>, Buf<1>, Buf<2>, mask::Causal, score::Of<Sub<Mul<Out, Const<0.125>>, Distance>>> {
};
TEST(ExplainAttention, SaysWhichKeysComeFirst) {
    const auto x = shape(2, 8, 4096, 128);
    const auto last_first = [&](const auto& slopes) {
        return line("schedule", of<alibi>(x, x, x, x, slopes)).find("the last keys first") != std::string::npos;
    };
    EXPECT_TRUE(last_first(shape(8, 1, 1)));
    EXPECT_FALSE(last_first(shape(8, 1, 4096)));
}

// The engine that takes it instead is the portable one, in the schedule that one has there.
TEST(ExplainAttention, WhatTheEngineDoesNotTake) {
    // Rows of 41 elements, whose addresses are odd.
    EXPECT_EQ(line<attend>("portable", sm90a_target, shape<fp16>(2, 9, 8, 40), shape<fp16>(2, 8, 9, 40),
                           Tensor<fp16, 4>(nullptr, {{2, 8, 9, 40}}, {{2952, 369, 41, 1}}), shape<fp16>(2, 8, 9, 40)),
              "rows of Q, K or V do not start at multiples of 16 bytes");
}

TEST(ExplainAttention, WhatIsLeftRunsOnOnePortableTile) {
    const auto few = shape(2, 8, 4, 40), kv = shape(2, 2, 64, 40);
    const KernelReport l = of<heads<40>>(few, few, kv, kv);
    EXPECT_EQ(line("schedule", l), "16x128, 2 stages, 4 warps in 4 slices (measured on an H200)");
    EXPECT_EQ(line("portable", l), "few queries of heads that share their keys fill a tile together");
}
TEST(ExplainAttention, KeysAndValuesInBoxes) {
    const auto one = shape(1, 32, 1, 128), keys = shape(1, 8, 2048, 128);
    const KernelReport l = of<heads<128>>(one, one, keys, keys);
    EXPECT_EQ(line("Buf<0>", l), "[1, 32, 1, 128] fp16, plain, cp.async, 8 x fp16");
    EXPECT_EQ(line("Buf<1>", l), "[1, 8, 2048, 128] fp16, plain, TMA, rows of 128 x fp16");
    EXPECT_EQ(line("Buf<2>", l), "[1, 8, 2048, 128] fp16, plain, TMA, rows of 128 x fp16");
    EXPECT_EQ(line("schedule", l), "16x64, 3 stages, 4 warps in 4 slices, keys split in 16 (measured on an H200)");
    EXPECT_EQ(line("Buf<1>", l, sm90_target), "[1, 8, 2048, 128] fp16, plain, cp.async, 8 x fp16");
}
TEST(ExplainAttention, SaysWhatBoundsIt) {
    const auto q = shape(2, 8, 4096, 40), text = shape(2, 8, 77, 40), b = shape(8, 32, 2048, 128);
    EXPECT_EQ(line("bound", of<heads<40>>(q, q, q, q)).substr(0, 25), "special functions; by rul");
    EXPECT_EQ(line("bound", of<heads<40>>(q, q, text, text)).substr(0, 7), "latency");
    EXPECT_EQ(line("bound", of<heads<128>>(b, b, b, b)).substr(0, 15), "the matrix unit");
    const auto vae = shape(1, 1, 4096, 512);
    EXPECT_EQ(line("bound", of<heads<512>>(vae, vae, vae, vae)).substr(0, 15), "the matrix unit");
    const auto small = shape(2, 8, 64, 160);
    EXPECT_EQ(line("bound", of<heads<160>>(small, small, small, small)).substr(0, 7), "latency");
}

}  // namespace
