// SPDX-License-Identifier: Apache-2.0
/// One UNet step of Stable Diffusion 1.5, 512×512 with guidance, explained for sm_80 from shapes alone.
#include <inlay/exec/host.hpp>
#include <inlay/model/unet.hpp>
#include <inlay/report/explain_program.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace {

using namespace inlay;

struct NoWeights {
    template <class T, class Each>
    void copy(const std::string&, const std::vector<index_t>&, T*, const Each&) const {}
};

const std::vector<KernelReport>& unet_step() {
    static const std::vector<KernelReport> launches = [] {
        Host host(1);
        Arena weights, arena;
        const model::UNet<fp16> unet(nn::Loader<fp16, NoWeights, Host>(nullptr, host, weights), model::UNetConfig{});
        Program<Host> once, step;
        const nn::Build<fp16, Host> before{&once, &arena, ""};
        const Temporary<float, 2> timesteps(arena, {{20, 1}});
        const Temporary<fp16, 3> prompt(arena, {{2, 77, 768}});
        const Temporary<float, 4> latents(arena, {{1, 64, 64, 4}});
        const Temporary<fp16, 4> noise(arena, {{2, 64, 64, 4}});
        const Temporary<std::int32_t, 1> index(arena, {{1}});
        const auto time = unet.build_time(before, *timesteps);
        const auto text = unet.build_text(before, *prompt);
        const float scale = 1;
        unet.build(nn::Build<fp16, Host>{&step, &arena, ""}, *latents, &scale, time, *index, text, *noise);
        return step.launches();
    }();
    return launches;
}

TEST(ExplainProgram, LaunchesOfTheRealTopology) {
    const auto& launches = unet_step();
    EXPECT_EQ(launches.size(), 335u);
    EXPECT_LE(launches.size(), 340u);
    std::set<std::string> frames;
    int unfused = 0;
    for (const KernelReport& l : launches) {
        frames.insert(l.frame);
        unfused += l.unfused();
    }
    // None is a stand-alone elementwise kernel, which is what a concat, an upsample or a permute would be too.
    EXPECT_EQ(frames, (std::set<std::string>{"attention", "conv2d", "groupnorm", "layernorm", "linear",
                                             "upsampled_conv2d"}));
    const SeedCounts seed = seed_counts(model::UNetConfig{}.topology());
    EXPECT_LT(static_cast<int>(launches.size()), seed.fused);
    EXPECT_EQ(unfused, 616);
}

/// As torch's FlopCounterMode counts diffusers' UNet2DConditionModel for two samples: its convolutions, of which the
/// 1×1 are products here, and those of upsampled images 4/9 of the work; its products, without the text's keys and
/// values and the time embedding, which are not of the step.
TEST(ExplainProgram, WorkIsThatOfTheReference) {
    const double convolutions = 887892213760, one_by_one = 87241523200;
    const double addmm = 358304972800, mm = 108245155840, bmm = 252104540160, text = 5904138240, time = 111411200;
    std::map<std::string, double> flops;
    for (const KernelReport& l : unet_step()) flops[l.frame] += l.flops;
    EXPECT_EQ(flops["conv2d"] + 9.0 / 4 * flops["upsampled_conv2d"], convolutions - one_by_one);
    EXPECT_EQ(flops["linear"], addmm + mm + one_by_one - text - time);
    EXPECT_EQ(flops["attention"], bmm);
}

/// Every matrix operand of the step reaches shared memory by cp.async, 16 bytes at a time. The exceptions have 4
/// channels.
TEST(ExplainProgram, NoOperandIsDemoted) {
    for (const KernelReport& l : unet_step())
        for (const Operand& o : l.operands) {
            if (o.kind != OperandKind::input && o.kind != OperandKind::weight) continue;
            if (l.layer == "conv_in" && o.kind == OperandKind::weight) continue;
            EXPECT_EQ(detail::vector_width(o, sm80_target) * static_cast<index_t>(bytes(o.dtype)), 16)
                << l.layer << ", " << o.name << " " << o.extents;
            EXPECT_NE(o.access_class, AccessClass::general) << l.layer << ", " << o.name;
        }
}

/// Nothing of the step is multiplied in fp32: what is stored in fp32 is rounded where it is read.
TEST(ExplainProgram, EveryProductIsInFp16) {
    for (const KernelReport& l : unet_step()) {
        const bool multiplies = l.matrix() || l.attends();
        EXPECT_TRUE(!multiplies || l.multiplied == DType::f16) << l.layer;
    }
}

TEST(ExplainProgram, LinesAreAtMost140Columns) {
    std::istringstream all(explain_program(unet_step(), sm80_target) + explain_program(unet_step(), host_target));
    for (std::string line; std::getline(all, line);) EXPECT_LE(line.size(), 140u) << line;
}

TEST(ExplainProgram, Summary) {
    EXPECT_EQ("\n" + summarise_program(unet_step(), sm80_target), R"(
block                launches  unfused          work      moved      saved
conv_in                     1        3     189 MFLOP    5.33 MB     262 kB
down_blocks.0              37       65     219 GFLOP     559 MB     398 MB
down_blocks.1              38       66     136 GFLOP     338 MB     197 MB
down_blocks.2              38       66     126 GFLOP     403 MB    98.3 MB
down_blocks.3               8       18    15.1 GFLOP     124 MB    5.25 MB
mid_block                  22       41    23.6 GFLOP     204 MB    15.1 MB
up_blocks.0                16       37    43.2 GFLOP     354 MB    17.7 MB
up_blocks.1                58      106     268 GFLOP     748 MB     185 MB
up_blocks.2                58      106     299 GFLOP     606 MB     385 MB
up_blocks.3                57      105     395 GFLOP     950 MB     786 MB
conv_norm_out               1        2      21 MFLOP    10.5 MB    10.5 MB
conv_out                    1        1     189 MFLOP    5.33 MB        0 B
total                     335      616    1.53 TFLOP    4.31 GB     2.1 GB

frame                launches  unfused          work      moved      saved
attention                  32       64     252 GFLOP     285 MB     185 MB
conv2d                     49      117     665 GFLOP    1.31 GB     193 MB
groupnorm                  61      118     721 MFLOP     361 MB     394 MB
layernorm                  48       48     554 MFLOP     277 MB        0 B
linear                    142      266     548 GFLOP    1.93 GB    1.33 GB
upsampled_conv2d            3        3    60.4 GFLOP     139 MB        0 B

fused                         launches                               saved
Add                                108                              562 MB
Concat                              25                              252 MB
Gather                              22                             80.6 kB
Gelu                                16                              370 MB
Mul                                 33                              462 MB
Permuted                            32                              185 MB
Silu                                45                              268 MB
total                              281                              2.1 GB

At least 5.34 ms on sm_80 at its datasheet's rates.
)");
}

TEST(ExplainProgram, OneKernel) {
    const auto& l = unet_step()[4];
    EXPECT_EQ("\n" + explain(l, sm80_target), R"(
down_blocks.0.resnets.0.conv2: Conv2D<Filter<3, 3, 1, 1, 1, 1, 1>, Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>, Store<0>, Auto>
  frame     conv2d [2, 64, 64, 320] fp16, sm_80, mma.sync.m16n8k16, multiplies fp16, accumulates fp32
  input     Buf<0>
  access    plain
  Buf<0>    [2, 64, 64, 320] fp16, plain, cp.async, 8 x fp16
  Buf<1>    [320] fp16, plain, vector loads, 8 x fp16
  Buf<2>    [2, 64, 64, 320] fp16, plain, vector loads, 8 x fp16
  weight 0  [320, 3, 3, 320] fp16, plain, cp.async, 8 x fp16
  epilogue  Add<Add<Out, Buf<1>>, Buf<2>>
  sink      Store<0>
  schedule  128x128x64, 3 stages, 4 warps (tuned on an H200)
  work      15.1 GFLOP, 17.6 MB, at least 48.4 us by the matrix unit
  saves     1 launch and 10.5 MB: Add
)");
}

TEST(ExplainProgram, BlocksAreNamedByTheirLayers) {
    EXPECT_EQ(detail::block_of("down_blocks.0.resnets.1.conv1"), "down_blocks.0");
    EXPECT_EQ(detail::block_of("mid_block.resnets.0.conv1"), "mid_block");
    EXPECT_EQ(detail::block_of("conv_in"), "conv_in");
}

/// In the words of a portable program's paths, for the CPU alone.
TEST(ExplainProgram, TheInstructionSetOfTheHostIsNamed) {
#if defined(__AVX512F__)
    const std::string isa = "avx512";
#elif defined(__AVX2__) && defined(__FMA__)
    const std::string isa = "avx2";
#else
    const std::string isa = "baseline";
#endif
    EXPECT_NE(explain_program({}, host_target).find("\nCode of this build: " + isa), std::string::npos);
    EXPECT_EQ(explain_program({}, sm80_target).find("Code of this build"), std::string::npos);
}

TEST(ExplainProgram, NothingIsExplainedToo) {
    EXPECT_NE(explain_program({}, host_target).find("total                       0"), std::string::npos);
}

}  // namespace
