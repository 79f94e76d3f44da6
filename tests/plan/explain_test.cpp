// SPDX-License-Identifier: Apache-2.0
/// What `explain` says of kernels on host and sm_80, letter by letter: a kernel that is silently demoted fails here.
#include <inlay/inlay.hpp>
#include <inlay/plan/explain.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

/// A tensor without data: explaining reads none.
template <Storage T, class... I>
auto shape(I... extents) {
    return tensor<T>(nullptr, extents...);
}
template <class K, class... Args>
std::string on(const TargetInfo& t, const Args&... args) {
    return "\n" + explain(describe<K>(prepare<K>(args...)), t);
}
/// The line of one operand, or of "frame" and the like.
template <class K, class... Args>
std::string line(const std::string& what, const TargetInfo& t, const Args&... args) {
    const std::string s = on<K>(t, args...), label = "\n  " + what + std::string(10 - what.size(), ' ');
    const auto at = s.find(label);
    return at == s.npos ? s : s.substr(at + label.size(), s.find('\n', at + 1) - at - label.size());
}

using Geglu = Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>;
struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};

TEST(Explain, GegluOnTheHost) {
    EXPECT_EQ(on<proj2>(host_target, shape<half>(2, 4096, 320), shape<half>(320, 1280), shape<half>(2, 4096, 2560),
                        shape<half>(320), shape<half>(2, 4096, 320)),
              R"(
proj2
  frame     linear [2, 4096, 320] fp16, host, FMA microkernel, accumulates fp32
  input     Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>
  rung      pointwise over views (Gelu); applied as rows are staged: 2 operations, 1 special per element
  Buf<0>    [2, 4096, 2560] fp16, affine view (Slice), vector loads, 16 x fp16
  Buf<1>    [320] fp16, plain, vector loads, 16 x fp16
  Buf<2>    [2, 4096, 320] fp16, plain, vector loads, 16 x fp16
  weight 0  [320, 1280] fp16, plain, vector loads, 16 x fp16
  epilogue  Add<Add<Out, Buf<1>>, Buf<2>>
  sink      Store<0>
  schedule  168x32x256 (measured on AVX-512)
  work      6.71 GFLOP, 53.2 MB
  saves     3 launches and 94.4 MB: Gelu, Mul, Add
)");
}

TEST(Explain, GegluOnSm80) {
    EXPECT_EQ(on<proj2>(sm80_target, shape<half>(2, 4096, 320), shape<half>(320, 1280), shape<half>(2, 4096, 2560),
                        shape<half>(320), shape<half>(2, 4096, 320)),
              R"(
proj2
  frame     linear [2, 4096, 320] fp16, sm_80, mma.sync.m16n8k16, accumulates fp32
  input     Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>
  rung      pointwise over views (Gelu); applied in shared memory a stage ahead: 2 operations, 1 special per element
  Buf<0>    [2, 4096, 2560] fp16, affine view (Slice), cp.async, 8 x fp16
  Buf<1>    [320] fp16, plain, vector loads, 8 x fp16
  Buf<2>    [2, 4096, 320] fp16, plain, vector loads, 8 x fp16
  weight 0  [320, 1280] fp16, plain, cp.async, 8 x fp16
  epilogue  Add<Add<Out, Buf<1>>, Buf<2>>
  sink      Store<0>
  schedule  128x128x64, 3 stages, 4 warps (tuned on an H200)
  work      6.71 GFLOP, 53.2 MB, at least 26.1 us by memory
  saves     3 launches and 94.4 MB: Gelu, Mul, Add
)");
}

struct conv_time : Conv2D<Window<3>, Silu<Concat<-1, Buf<0>, Buf<1>>>,
                          Add<Add<Out, Buf<2>>, Reshape<Gather<Buf<3>, Buf<4>, 0>, 1, 1, 1, -1>>> {};

TEST(Explain, ConvolutionOfASkipConnection) {
    EXPECT_EQ(on<conv_time>(sm80_target, shape<half>(2, 32, 32, 640), shape<half>(640, 3, 3, 960),
                            shape<half>(2, 32, 32, 640), shape<half>(2, 32, 32, 320), shape<half>(640),
                            shape<half>(20, 640), shape<const std::int32_t>(1)),
              R"(
conv_time
  frame     conv2d [2, 32, 32, 640] fp16, sm_80, mma.sync.m16n8k16, accumulates fp32
  input     Silu<Concat<-1, Buf<0>, Buf<1>>>
  rung      pointwise over views (Silu); applied in shared memory a stage ahead: 1 operation, 2 special per element
  Buf<0>    [2, 32, 32, 640] fp16, piecewise view (Concat), cp.async, 8 x fp16
  Buf<1>    [2, 32, 32, 320] fp16, piecewise view (Concat), cp.async, 8 x fp16
  Buf<2>    [640] fp16, plain, vector loads, 8 x fp16
  Buf<3>    [20, 640] fp16, general (Gather), vector loads, 8 x fp16
  Buf<4>    [1] int32, plain, one value a row, kept in a register
  weight 0  [640, 3, 3, 960] fp16, plain, cp.async, 8 x fp16
  epilogue  Add<Add<Out, Buf<2>>, Reshape<Gather<Buf<3>, Buf<4>, 0>, 1, 1, 1, -1>>
  sink      Store<0>
  schedule  64x64x64, 4 stages, 4 warps (tuned on an H200)
  work      22.6 GFLOP, 17.6 MB, at least 72.6 us by the matrix unit
  saves     4 launches and 21 MB: Concat, Silu, Gather, Add
)");
}

template <int I>
using Heads = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;
struct qkv : Linear<Buf<0>, Out, Partition<-1, Heads<0>, Heads<1>, Heads<2>>> {};

TEST(Explain, OneProductForThreeTensors) {
    EXPECT_EQ(on<qkv>(sm80_target, shape<half>(2, 8, 64, 160), shape<half>(2, 8, 64, 160), shape<half>(2, 8, 64, 160),
                      shape<half>(3840, 1280), shape<half>(2, 64, 1280)),
              R"(
qkv
  frame     linear [2, 64, 3840] fp16, sm_80, mma.sync.m16n8k16, accumulates fp32
  input     Buf<0>
  rung      plain
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

TEST(Explain, ANormIsOnePassWithoutAMatrixUnit) {
    EXPECT_EQ(on<skip_norm>(sm80_target, shape<half>(2, 64, 64, 640), shape<half>(640), shape<half>(640),
                            shape<half>(2, 64, 64, 320), shape<half>(2, 64, 64, 320)),
              R"(
skip_norm
  frame     groupnorm [2, 64, 64, 640] fp16, sm_80
  input     Concat<-1, Buf<0>, Buf<1>>
  rung      piecewise view (Concat)
  Buf<0>    [2, 64, 64, 320] fp16, piecewise view (Concat), vector loads, 8 x fp16
  Buf<1>    [2, 64, 64, 320] fp16, piecewise view (Concat), vector loads, 8 x fp16
  weight 0  [640] fp16, plain, vector loads, 8 x fp16
  weight 1  [640] fp16, plain, vector loads, 8 x fp16
  epilogue  Silu<Out>
  sink      Store<0>
  schedule  one pass over rows
  work      41.9 MFLOP, 21 MB, at least 10.3 us by memory
  saves     2 launches and 41.9 MB: Concat, Silu
)");
}

struct attend : Attention<40, Buf<0>, Buf<1>, Buf<2>, mask::None, Out, Permuted<Store<0>, 0, 2, 1, 3>> {};

TEST(Explain, Attention) {
    EXPECT_EQ(on<attend>(sm80_target, shape<half>(2, 4096, 8, 40), shape<half>(2, 8, 4096, 40),
                         shape<half>(2, 8, 77, 40), shape<half>(2, 8, 77, 40)),
              R"(
attend
  frame     attention [2, 8, 4096, 40] fp16, sm_80, mma.sync.m16n8k16, accumulates fp32
  input     Buf<0>
  input     Buf<1>
  input     Buf<2>
  rung      plain
  Buf<0>    [2, 8, 4096, 40] fp16, plain, cp.async, 8 x fp16
  Buf<1>    [2, 8, 77, 40] fp16, plain, cp.async, 8 x fp16
  Buf<2>    [2, 8, 77, 40] fp16, plain, cp.async, 8 x fp16
  epilogue  Out
  sink      Permuted<Store<0>, 0, 2, 1, 3>
  schedule  128x96, 2 stages, 4 warps (measured on an H200)
  work      807 MFLOP, 10.7 MB, at least 5.2 us by memory
  saves     1 launch and 10.5 MB: Permuted
)");
    EXPECT_EQ(on<attend>(sm90a_target, shape<half>(2, 4096, 8, 40), shape<half>(2, 8, 4096, 40),
                         shape<half>(2, 8, 4096, 40), shape<half>(2, 8, 4096, 40)),
              R"(
attend
  frame     attention [2, 8, 4096, 40] fp16, sm_90a, wgmma.m64nNk16, accumulates fp32
  input     Buf<0>
  input     Buf<1>
  input     Buf<2>
  rung      plain
  Buf<0>    [2, 8, 4096, 40] fp16, plain, TMA, rows of 64 x fp16
  Buf<1>    [2, 8, 4096, 40] fp16, plain, TMA, rows of 64 x fp16
  Buf<2>    [2, 8, 4096, 40] fp16, plain, TMA, rows of 64 x fp16
  epilogue  Out
  sink      Permuted<Store<0>, 0, 2, 1, 3>
  schedule  256x64, 3 stages, 4 warpgroups, 256 blocks (measured on an H200)
  bound     special functions; by rule 137072 clocks = 6000 + 2 rounds x 64.0 blocks of keys x 1024, of a block: matrix unit 704,
            special functions 1024, of all: memory 11449
  work      42.9 GFLOP, 21 MB, at least 43.4 us by the matrix unit
  saves     1 launch and 10.5 MB: Permuted
)");
    // Rows of 41 elements, whose addresses are odd.
    EXPECT_EQ(line<attend>("portable", sm90a_target, shape<half>(2, 9, 8, 40), shape<half>(2, 8, 9, 40),
                           Tensor<half, 4>(nullptr, {{2, 8, 9, 40}}, {{2952, 369, 41, 1}}), shape<half>(2, 8, 9, 40)),
              "rows of Q, K or V do not start at multiples of 16 bytes");
}

struct plain : Linear<> {};
struct sliced : Linear<Slice<Buf<0>, -1, 4, 64>> {};
struct swapped : Linear<Transpose<Buf<0>, -1, -2>> {};
struct doubled : Linear<Upsample<Buf<0>, 2, -1>> {};

TEST(Explain, VectorsAreAsWideAsRunsAndAddressesAllow) {
    const auto y = shape<half>(64, 320), w = shape<half>(320, 64);
    const auto x = [&](const auto& t) { return line<plain>("Buf<0>", sm80_target, y, w, t); };
    EXPECT_EQ(x(shape<half>(64, 64)), "[64, 64] fp16, plain, cp.async, 8 x fp16");
    EXPECT_EQ(x(Tensor<half, 2>(nullptr, {{64, 64}}, {{72, 1}})), "[64, 64] fp16, plain, cp.async, 8 x fp16");
    EXPECT_EQ(x(Tensor<half, 2>(nullptr, {{64, 64}}, {{66, 1}})),
              "[64, 64] fp16, plain, cp.async, 2 x fp16 (aligned to 2)");
    EXPECT_EQ(x(Tensor<half, 2>(nullptr, {{64, 64}}, {{65, 1}})),
              "[64, 64] fp16, plain, scalar loads, 1 x fp16 (aligned to 1)");
    EXPECT_EQ(x(Tensor<half, 2>(reinterpret_cast<half*>(264), {{64, 64}})),
              "[64, 64] fp16, plain, cp.async, 4 x fp16 (aligned to 4)");
    EXPECT_EQ(x(Tensor<half, 2>(nullptr, {{64, 64}}, {{128, 2}})),
              "[64, 64] fp16, plain, scalar loads, 1 x fp16 (stride 2)");
    EXPECT_EQ(x(Tensor<half, 2>(nullptr, {{64, 64}}, {{1, 64}})),
              "[64, 64] fp16, plain, cp.async, 8 x fp16 (across rows)");
    EXPECT_EQ(line<plain>("Buf<0>", sm80_target, y, shape<half>(320, 77), shape<half>(64, 77)),
              "[64, 77] fp16, plain, scalar loads, 1 x fp16 (runs of 77)");
    // The host's vectors may start anywhere.
    EXPECT_EQ(line<plain>("Buf<0>", host_target, y, shape<half>(320, 77), shape<half>(64, 77)),
              "[64, 77] fp16, plain, vector loads, 16 x fp16");
}

TEST(Explain, ViewsKeepTheCopyEngineWhereTheyCan) {
    const auto y = shape<half>(64, 320), w = shape<half>(320, 64);
    EXPECT_EQ(line<sliced>("Buf<0>", sm80_target, y, w, shape<half>(64, 72)),
              "[64, 72] fp16, affine view (Slice), cp.async, 4 x fp16 (aligned to 4)");
    EXPECT_EQ(line<swapped>("Buf<0>", sm80_target, y, w, shape<half>(64, 64)),
              "[64, 64] fp16, affine view (Transpose), cp.async, 8 x fp16 (across rows)");
    EXPECT_EQ(line<swapped>("Buf<0>", host_target, y, w, shape<half>(64, 64)),
              "[64, 64] fp16, affine view (Transpose), scalar loads, 1 x fp16 (stride 64)");
    EXPECT_EQ(line<doubled>("Buf<0>", sm80_target, y, w, shape<half>(64, 32)),
              "[64, 32] fp16, piecewise view (Upsample), scalar loads, 1 x fp16 (uneven steps)");
}

struct mixed : Linear<Add<Buf<0>, Mul<Concat<-1, Buf<1>, Buf<2>>, Buf<3>>>> {};
struct far_piece : Elementwise<Silu<Concat<0, Buf<0>, Concat<1, Buf<1>, Buf<2>>>>> {};

TEST(Explain, OneOperandDoesNotDemoteAnother) {
    const auto of = [](const char* operand) {
        return line<mixed>(operand, sm80_target, shape<half>(64, 320), shape<half>(320, 64), shape<half>(64, 64),
                           shape<half>(64, 4), shape<half>(64, 60), shape<float>(64, 1));
    };
    EXPECT_EQ(of("Buf<0>"), "[64, 64] fp16, plain, cp.async, 8 x fp16");
    EXPECT_EQ(of("Buf<1>"), "[64, 4] fp16, piecewise view (Concat), cp.async, 4 x fp16 (runs of 4)");
    EXPECT_EQ(of("Buf<2>"), "[64, 60] fp16, piecewise view (Concat), cp.async, 4 x fp16 (runs of 60)");
    EXPECT_EQ(of("Buf<3>"), "[64, 1] fp32, plain, one value a row, kept in a register");
    // A piece that lies off every axis through the origin.
    EXPECT_EQ(line<far_piece>("Buf<2>", sm80_target, shape<half>(4, 10, 64), shape<half>(2, 10, 64),
                              shape<half>(2, 4, 64), shape<half>(2, 6, 64)),
              "[2, 6, 64] fp16, piecewise view (Concat), vector loads, 8 x fp16");
}

// What the matrix unit reads decides its atom and the table of schedules, whatever is stored.
TEST(Explain, TheScheduleIsThatOfTheWeightsType) {
    struct plain : Linear<Buf<0>> {};
    const auto schedule = [](DType t) { return text(choose_matrix(sm80_target, 1, 512, 1280, 640, t)); };
    EXPECT_NE(schedule(DType::f32), schedule(DType::f16));
    EXPECT_EQ(line<plain>("schedule", sm80_target, shape<float>(512, 1280), shape<float>(1280, 640),
                          shape<float>(512, 640)),
              schedule(DType::f32));
    EXPECT_EQ(line<plain>("schedule", sm80_target, shape<float>(512, 1280), shape<half>(1280, 640),
                          shape<half>(512, 640)),
              schedule(DType::f16));
    EXPECT_EQ(line<plain>("frame", sm80_target, shape<float>(512, 1280), shape<half>(1280, 640), shape<half>(512, 640)),
              "linear [512, 1280] fp32, sm_80, mma.sync.m16n8k16, accumulates fp32");
    EXPECT_EQ(line<plain>("frame", sm80_target, shape<half>(512, 1280), shape<float>(1280, 640), shape<half>(512, 640)),
              "linear [512, 1280] fp16, sm_80, 3 x mma.sync.m16n8k8 tf32, accumulates fp32");
}

TEST(Explain, BytesAreThoseReadOnce) {
    struct half_of_it : Linear<Mul<Slice<Buf<0>, -1, 0, 32>, Slice<Buf<0>, -1, 0, 32>>> {};
    struct wide : Elementwise<Upsample2x<Slice<Buf<0>, -1, 0, 8>>> {};
    const auto bytes = [](const Launch& l) { return l.operands[0].bytes; };
    EXPECT_EQ(bytes(describe<proj2>(prepare<proj2>(shape<half>(4, 320), shape<half>(320, 1280), shape<half>(4, 2560),
                                                   shape<half>(320), shape<half>(4, 320)))), 2 * 4 * 2560);
    EXPECT_EQ(
        bytes(describe<half_of_it>(prepare<half_of_it>(shape<half>(4, 8), shape<half>(8, 32), shape<half>(4, 64)))),
        2 * 4 * 32);
    EXPECT_EQ(bytes(describe<wide>(prepare<wide>(shape<half>(1, 8, 8, 8), shape<half>(1, 4, 4, 64)))), 2 * 4 * 4 * 8);
}

TEST(Explain, AnElementwiseKernelIsOneOfItsOperations) {
    struct copy : Elementwise<Buf<0>> {};
    struct two : Elementwise<Silu<Add<Buf<0>, Buf<1>>>> {};
    const auto x = shape<half>(4, 64);
    EXPECT_EQ(describe<copy>(prepare<copy>(x, x)).unfused(), 1);
    const Launch l = describe<two>(prepare<two>(x, x, x));
    EXPECT_EQ(l.unfused(), 2);
    EXPECT_EQ(l.flops, 2 * 4 * 64);
}

struct tiled : Linear<Buf<0>, Out, Store<0>, Tiled<64, 128, 32>> {};
struct row : Linear<Buf<0>, Add<Out, Reshape<Gather<Buf<1>, Buf<2>, 0>, 1, 1, -1>>> {};

TEST(Explain, FromTypesAlone) {
    EXPECT_EQ("\n" + explain<row>(sm80_target), R"(
row
  frame     linear fp16, sm_80, mma.sync.m16n8k16, accumulates fp32
  input     Buf<0>
  rung      plain
  Buf<0>    plain, cp.async, 8 x fp16
  Buf<1>    general (Gather), vector loads, 8 x fp16
  Buf<2>    plain, one value a row, kept in a register
  epilogue  Add<Out, Reshape<Gather<Buf<1>, Buf<2>, 0>, 1, 1, -1>>
  sink      Store<0>
)");
    EXPECT_EQ(("\n" + explain<tiled, float>(sm80_target)), R"(
tiled
  frame     linear fp32, sm_80, 3 x mma.sync.m16n8k8 tf32, accumulates fp32
  input     Buf<0>
  rung      plain
  Buf<0>    plain, cp.async, 4 x fp32
  epilogue  Out
  sink      Store<0>
  schedule  Tiled<64, 128, 32, 3, 1> (the user's)
)");
}

}  // namespace
