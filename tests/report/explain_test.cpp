// SPDX-License-Identifier: Apache-2.0
/// `explain` of kernels on host, sm_80 and gfx942, letter by letter: a kernel that is silently demoted fails here.
#include <plan/gemm/decisions.hpp>
#include <report/launches.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

using namespace inlay;
using namespace inlay_test;

using Geglu = Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>;
struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};

/// As the host's vectors are in this build.
std::string of_this_build(std::string page) {
    for (const auto& [sign, value] : {std::pair("LANES", host_lanes), std::pair("PANEL", 2 * host_lanes)})
        for (auto at = page.find(sign); at != page.npos; at = page.find(sign))
            page.replace(at, 5, std::to_string(value));
    return page;
}

TEST(Explain, GegluOnTheHost) {
    EXPECT_EQ(on<proj2>(host_target, shape<fp16>(2, 4096, 320), shape<fp16>(320, 1280), shape<fp16>(2, 4096, 2560),
                        shape<fp16>(320), shape<fp16>(2, 4096, 320)),
              of_this_build(R"(
proj2
  frame     linear [2, 4096, 320] fp16, host, FMA microkernel, multiplies fp32, accumulates fp32
  input     Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>
  access    pointwise over views (Gelu); applied as rows are staged: 2 operations, 1 special per element
  Buf<0>    [2, 4096, 2560] fp16, affine view (Slice), vector loads, LANES x fp16
  Buf<1>    [320] fp16, plain, vector loads, LANES x fp16
  Buf<2>    [2, 4096, 320] fp16, plain, vector loads, LANES x fp16
  weight 0  [320, 1280] fp16, plain, vector loads, LANES x fp16
  epilogue  Add<Add<Out, Buf<1>>, Buf<2>>
  sink      Store<0>
  schedule  168xPANELx256 (measured on AVX-512)
  work      6.71 GFLOP, 53.2 MB
  saves     3 launches and 94.4 MB: Gelu, Mul, Add
)"));
}

TEST(Explain, ALinearLayerOnGfx942) {
    struct plain : Linear<Buf<0>> {};
    EXPECT_EQ(on<plain>(gfx942_target, shape<fp16>(512, 640), shape<fp16>(640, 1280), shape<fp16>(512, 1280)),
              R"(
plain
  frame     linear [512, 640] fp16, gfx942, v_mfma_f32_16x16x16_f16, multiplies fp16, accumulates fp32
  input     Buf<0>
  access    plain
  Buf<0>    [512, 1280] fp16, plain, 16-byte loads through registers, 8 x fp16
  weight 0  [640, 1280] fp16, plain, 16-byte loads through registers, 8 x fp16
  epilogue  Out
  sink      Store<0>
  schedule  32x64x64, 2 stages, 4 warps, split-K 3 (computed, not measured)
  work      839 MFLOP, 3.6 MB, at least 677 ns by memory
)");
}
TEST(Explain, GegluOnSm80) {
    EXPECT_EQ(on<proj2>(sm80_target, shape<fp16>(2, 4096, 320), shape<fp16>(320, 1280), shape<fp16>(2, 4096, 2560),
                        shape<fp16>(320), shape<fp16>(2, 4096, 320)),
              R"(
proj2
  frame     linear [2, 4096, 320] fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>
  access    pointwise over views (Gelu); applied in shared memory a stage ahead: 2 operations, 1 special per element
  Buf<0>    [2, 4096, 2560] fp16, affine view (Slice), cp.async, 8 x fp16
  Buf<1>    [320] fp16, plain, vector loads, 8 x fp16
  Buf<2>    [2, 4096, 320] fp16, plain, vector loads, 8 x fp16
  weight 0  [320, 1280] fp16, plain, cp.async, 8 x fp16
  epilogue  Add<Add<Out, Buf<1>>, Buf<2>>
  sink      Store<0>
  schedule  64x160x64, 3 stages, 4 warps (tuned on an H200)
  work      6.71 GFLOP, 53.2 MB, at least 26.1 us by memory
  saves     3 launches and 94.4 MB: Gelu, Mul, Add
)");
}

struct conv_time : Conv2D<Filter<3>, Silu<Concat<-1, Buf<0>, Buf<1>>>,
                          Add<Add<Out, Buf<2>>, Reshape<Gather<Buf<3>, Buf<4>, 0>, 1, 1, 1, -1>>> {};

TEST(Explain, ConvolutionOfASkipConnection) {
    EXPECT_EQ(on<conv_time>(sm80_target, shape<fp16>(2, 32, 32, 640), shape<fp16>(640, 3, 3, 960),
                            shape<fp16>(2, 32, 32, 640), shape<fp16>(2, 32, 32, 320), shape<fp16>(640),
                            shape<fp16>(20, 640), shape<const std::int32_t>(1)),
              R"(
conv_time
  frame     conv2d [2, 32, 32, 640] fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Silu<Concat<-1, Buf<0>, Buf<1>>>
  access    pointwise over views (Silu); applied in shared memory a stage ahead: 1 operation, 2 special per element
  Buf<0>    [2, 32, 32, 640] fp16, piecewise view (Concat), cp.async, 8 x fp16
  Buf<1>    [2, 32, 32, 320] fp16, piecewise view (Concat), cp.async, 8 x fp16
  Buf<2>    [640] fp16, plain, vector loads, 8 x fp16
  Buf<3>    [20, 640] fp16, general (Gather), vector loads, 8 x fp16
  Buf<4>    [1] int32, plain, one value a row, kept in a register
  weight 0  [640, 3, 3, 960] fp16, plain, cp.async, 8 x fp16
  epilogue  Add<Add<Out, Buf<2>>, Reshape<Gather<Buf<3>, Buf<4>, 0>, 1, 1, 1, -1>>
  sink      Store<0>
  schedule  64x160x64, 3 stages, 4 warps (tuned on an H200)
  work      22.6 GFLOP, 17.6 MB, at least 72.6 us by the matrix unit
  saves     4 launches and 21 MB: Concat, Silu, Gather, Add
)");
}

template <int I>
using Heads = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;
struct qkv : Linear<Buf<0>, Out, Partition<-1, Heads<0>, Heads<1>, Heads<2>>> {};

TEST(Explain, OneProductForThreeTensors) {
    EXPECT_EQ(on<qkv>(sm80_target, shape<fp16>(2, 8, 64, 160), shape<fp16>(2, 8, 64, 160), shape<fp16>(2, 8, 64, 160),
                      shape<fp16>(3840, 1280), shape<fp16>(2, 64, 1280)),
              R"(
qkv
  frame     linear [2, 64, 3840] fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Buf<0>
  access    plain
  Buf<0>    [2, 64, 1280] fp16, plain, cp.async, 8 x fp16
  weight 0  [3840, 1280] fp16, plain, cp.async, 8 x fp16
  epilogue  Out
  sink      Partition<-1, SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>, SplitLast<Permuted<Store<1>, 0, 2, 1, 3>>,
            SplitLast<Permuted<Store<2>, 0, 2, 1, 3>>>
  schedule  64x160x64, 3 stages, 4 warps, split-K 2 (tuned on an H200)
  work      1.26 GFLOP, 11.1 MB, at least 5.5 us by memory
  saves     5 launches and 2.62 MB: Permuted x 3, Partition x 2
)");
}

struct skip_norm : GroupNorm<32, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};

TEST(Explain, AGroupNormIsOfTeamsWithoutAMatrixUnit) {
    EXPECT_EQ(on<skip_norm>(sm80_target, shape<fp16>(2, 64, 64, 640), shape<fp16>(640), shape<fp16>(640),
                            shape<fp16>(2, 64, 64, 320), shape<fp16>(2, 64, 64, 320)),
              R"(
skip_norm
  frame     groupnorm [2, 64, 64, 640] fp16, sm_80
  input     Concat<-1, Buf<0>, Buf<1>>
  access    piecewise view (Concat)
  Buf<0>    [2, 64, 64, 320] fp16, piecewise view (Concat), vector loads, 8 x fp16
  Buf<1>    [2, 64, 64, 320] fp16, piecewise view (Concat), vector loads, 8 x fp16
  weight 0  [640] fp16, plain, vector loads, 8 x fp16
  weight 1  [640] fp16, plain, vector loads, 8 x fp16
  epilogue  Silu<Out>
  sink      Store<0>
  schedule  cooperative: 8 teams of 13 blocks of 512 threads, each a slab of 316 pixels of 160 channels of an item,
            all kept on chip (by rule)
  work      41.9 MFLOP, 21 MB, at least 10.3 us by memory
  saves     2 launches and 41.9 MB: Concat, Silu
)");
}

// The type that the matrix unit reads decides its atom and the table of schedules, whatever is stored.
TEST(Explain, TheScheduleIsThatOfTheWeightsType) {
    struct plain : Linear<Buf<0>> {};
    const auto schedule = [](DType t) { return std::string(text(decide(product(512, 1280, 640, t), sm80_target))); };
    EXPECT_NE(schedule(DType::f32), schedule(DType::f16));
    EXPECT_EQ(line<plain>("schedule", sm80_target, shape<float>(512, 1280), shape<float>(1280, 640),
                          shape<float>(512, 640)),
              schedule(DType::f32));
    EXPECT_EQ(line<plain>("schedule", sm80_target, shape<float>(512, 1280), shape<fp16>(1280, 640),
                          shape<fp16>(512, 640)),
              schedule(DType::f16));
    EXPECT_EQ(line<plain>("frame", sm80_target, shape<float>(512, 1280), shape<fp16>(1280, 640), shape<fp16>(512, 640)),
              "linear [512, 1280] fp32, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32");
    EXPECT_EQ(line<plain>("frame", sm80_target, shape<fp16>(512, 1280), shape<float>(1280, 640), shape<fp16>(512, 640)),
              "linear [512, 1280] fp16, sm_80, 3 x mma.sync.m16n8k8 tf32, multiplies fp32, accumulates fp32");
}

struct doubled : UpsampledConv2D<> {};

TEST(Explain, AnUpsampledConvolutionIsAProduct) {
    const KernelReport l = of<doubled>(shape(1, 128, 128, 512), shape(4, 512, 4 * 512), shape(1, 64, 64, 512));
    EXPECT_EQ(line("frame", l), "upsampled_conv2d [1, 128, 128, 512] fp16, sm_90a, wgmma.m64nNk16, multiplies fp16, "
                                "accumulates fp32");
    // Four phases of 32 tiles of rows and 4 of columns.
    EXPECT_EQ(line("schedule", l),
              "128x128x64 from halo tiles, warpgroups alternate, 512 tiles (by rule; as of 3x3 windows)");
    EXPECT_NE(explain<doubled>(sm90a_target).find("wgmma.m64nNk16 where extents and addresses allow"),
              std::string::npos);
}

struct tiled : Linear<Buf<0>, Out, Store<0>, Tiled<64, 128, 32>> {};
struct row : Linear<Buf<0>, Add<Out, Reshape<Gather<Buf<1>, Buf<2>, 0>, 1, 1, -1>>> {};

TEST(Explain, FromTypesAlone) {
    EXPECT_EQ("\n" + explain<row>(sm80_target), R"(
row
  frame     linear fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Buf<0>
  access    plain
  Buf<0>    plain, cp.async, 8 x fp16
  Buf<1>    general (Gather), vector loads, 8 x fp16
  Buf<2>    plain, one value a row, kept in a register
  epilogue  Add<Out, Reshape<Gather<Buf<1>, Buf<2>, 0>, 1, 1, -1>>
  sink      Store<0>
)");
    EXPECT_EQ(("\n" + explain<tiled, float>(sm80_target)), R"(
tiled
  frame     linear fp32, sm_80, 3 x mma.sync.m16n8k8 tf32, multiplies fp32, accumulates fp32
  input     Buf<0>
  access    plain
  Buf<0>    plain, cp.async, 4 x fp32
  epilogue  Out
  sink      Store<0>
  schedule  Tiled<64, 128, 32, 3, 1> (the user's)
)");
}

}  // namespace
