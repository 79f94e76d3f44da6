// SPDX-License-Identifier: Apache-2.0
/// Products that sm_90a's engine takes, their schedules, and `explain` of both.
#include "decisions.hpp"

#include <report/launches.hpp>

#include <gtest/gtest.h>

#include <array>
#include <tuple>

namespace {

using namespace inlay;
using namespace inlay_test;

struct plain : Linear<> {};
struct sliced : Linear<Slice<Buf<0>, -1, 64, 128>> {};
struct swapped : Linear<Transpose<Buf<0>, -1, -2>> {};
struct gathered : Linear<Gather<Buf<0>, Buf<1>, 0>> {};
struct joined : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
using Twice = Concat<0, Buf<0>, Buf<0>>;
struct read_twice : Linear<Twice> {};
struct silu_read_twice : Linear<Silu<Twice>> {};
struct silu_input : Linear<Silu<Buf<0>>> {};
struct cosine : Linear<Cos<Buf<0>>> {};
struct cosine_after : Linear<Buf<0>, Cos<Out>> {};
struct tiled : Linear<Buf<0>, Out, Store<0>, Tiled<64, 128, 32>> {};
template <class Win, class In = Buf<0>>
struct conv : Conv2D<Win, In> {};
struct phases : UpsampledConv2D<> {};
struct phases_with_statistics : UpsampledConv2D<Buf<0>, Out, WithStats<Store<0>, 1>> {};
using Normed = Silu<Add<Mul<Buf<0>, Buf<1>>, Buf<2>>>;

TEST(WgmmaMainloop, TakesTensorsAsTheyLie) {
    const auto y = shape(64, 320), w = shape(320, 128);
    EXPECT_EQ(refused<plain>(y, w, shape(64, 128)), "");
    EXPECT_EQ(refused<plain>(y, w, Tensor<fp16, 2>(nullptr, {{64, 128}}, {{136, 1}})), "");
    EXPECT_EQ(refused<sliced>(y, w, shape(64, 192)), "");
    EXPECT_EQ(refused<joined>(y, w, shape(64, 64), shape(64, 64)), "");
    EXPECT_EQ(refused<plain>(shape<bf16>(64, 320), shape<bf16>(320, 128), shape<bf16>(64, 128)), "");
    EXPECT_EQ(refused<plain>(shape(2, 3, 32, 320), w, shape(2, 3, 32, 128)), "");
    EXPECT_EQ(refused<plain>(shape(4, 64, 320), shape(4, 320, 128), shape(4, 64, 128)), "");
}
TEST(WgmmaMainloop, RefusesWhatItsCopyEngineCannotRead) {
    const auto y = shape(64, 320), w = shape(320, 128);
    const std::string uneven = "rows of the input do not start at multiples of 16 bytes";
    EXPECT_EQ(refused<plain>(y, w, Tensor<fp16, 2>(nullptr, {{64, 128}}, {{130, 1}})), uneven);
    EXPECT_EQ(refused<plain>(y, w, Tensor<fp16, 2>(reinterpret_cast<fp16*>(264), {{64, 128}})), uneven);
    EXPECT_EQ(refused<plain>(y, shape(320, 77), shape(64, 77)), uneven);
    EXPECT_EQ(refused<swapped>(y, w, shape(128, 64)), uneven);  // its rows lie the other way round
    EXPECT_EQ(refused<plain>(y, Tensor<fp16, 2>(reinterpret_cast<fp16*>(264), {{320, 128}}), shape(64, 128)),
              "rows of the weights do not start at multiples of 16 bytes");
    EXPECT_EQ(refused<joined>(y, w, shape(64, 72), shape(64, 56)),
              "the first part of what is joined is no multiple of 64");
    EXPECT_EQ(refused<plain>(shape(2, 3, 32, 320), w,
                             Tensor<fp16, 4>(nullptr, {{2, 3, 32, 128}}, {{99840, 32768, 128, 1}})),
              "the rows of the input are not evenly apart");
}
TEST(WgmmaMainloop, RefusesWhatItsKernelsAreNotFor) {
    const auto y = shape(64, 320), w = shape(320, 128), x = shape(64, 128);
    const std::string neither = "its input is neither tensors as they lie nor a function of one or two and of vectors";
    EXPECT_EQ(refused<plain>(shape<float>(64, 320), shape<float>(320, 128), shape<float>(64, 128)),
              "its weights are fp32");
    EXPECT_EQ(refused<gathered>(y, w, shape(100, 128), shape<const std::int32_t>(64)), neither);
    EXPECT_EQ(refused<read_twice>(y, w, shape(32, 128)), neither);      // the planner's prices count on it
    EXPECT_EQ(refused<silu_read_twice>(y, w, shape(32, 128)), neither);
    EXPECT_EQ(refused<silu_input>(shape(4, 64, 320), shape(4, 320, 128), shape(4, 64, 128)),
              "a batch is not evaluated");
    EXPECT_EQ(refused<cosine>(y, w, x), "sin and cos are functions on the device");
    EXPECT_EQ(refused<cosine_after>(y, w, x), "sin and cos are functions on the device");
    EXPECT_EQ(refused<tiled>(y, w, x), "its schedule is the user's");
    EXPECT_EQ(refused<plain>(shape(8, 320), w, shape(8, 128)), "so few rows fill no tile");
    EXPECT_EQ(refused<plain>(shape(9, 320), w, shape(9, 128)), "");
}
TEST(WgmmaMainloop, TakesWindows) {
    const auto x = shape(2, 32, 32, 128), y = shape(2, 32, 32, 320), w = shape(320, 3, 3, 128);
    EXPECT_EQ(refused<conv<Filter<3>>>(y, w, x), "");
    EXPECT_EQ((refused<conv<Filter<3, 3, 2>>>(shape(2, 16, 16, 320), w, x)), "");
    EXPECT_EQ((refused<conv<Filter<1>>>(y, shape(320, 1, 1, 128), x)), "");
    EXPECT_EQ((refused<conv<Filter<3>, Upsample2x<Buf<0>>>>(shape(2, 64, 64, 320), w, x)), "");
    EXPECT_EQ((refused<conv<Filter<3>, Normed>>(y, w, x, shape(2, 1, 1, 128), shape(2, 1, 1, 128))), "");
    EXPECT_EQ((refused<conv<Filter<1>, Silu<Buf<0>>>>(y, shape(320, 1, 1, 128), x)), "");
    EXPECT_EQ((refused<conv<Filter<3, 3, 2>, Silu<Buf<0>>>>(shape(2, 16, 16, 320), w, x)),
              "what is outside an image is known only under 3x3 windows");
    EXPECT_EQ((refused<conv<Filter<3, 3, 1, 1, 1, 1, 2>>>(y, shape(320, 3, 3, 64), x)), "");
    EXPECT_EQ((refused<conv<Filter<3, 3, 1, 1, 1, 1, 4>>>(y, shape(320, 3, 3, 32), x)),
              "64 channels would reach into the next group");
}

TEST(WgmmaMainloop, CountsTilesAndSteps) {
    const WgmmaGrid boxes = of<plain>(shape(154, 320), shape(320, 768), shape(154, 768)).gemm.wgmma;
    EXPECT_EQ(boxes.steps, 12);
    EXPECT_EQ(wgmma_m_tiles({128, 80, false, 0, ""}, boxes), 2);
    const WgmmaGrid large =
        of<conv<Filter<3>>>(shape(2, 40, 40, 320), shape(320, 3, 3, 72), shape(2, 40, 40, 72)).gemm.wgmma;
    EXPECT_EQ(large.steps, 18);  // 72 channels are 64 and 8
    EXPECT_EQ(wgmma_m_tiles({128, 80, false, 3, ""}, large), 2 * 3 * 5);
    EXPECT_EQ(wgmma_m_tiles({256, 128, false, 3, ""}, large), 2 * 3 * 3);
    const WgmmaGrid small =
        of<conv<Filter<3>>>(shape(3, 8, 8, 320), shape(320, 3, 3, 64), shape(3, 8, 8, 64)).gemm.wgmma;
    EXPECT_EQ(wgmma_m_tiles({128, 80, false, true, ""}, small), 2);  // an image an atom
    EXPECT_EQ(wgmma_m_tiles({256, 128, false, true, ""}, small), 3);
    const WgmmaGrid twice = of<conv<Filter<3>, Upsample2x<Buf<0>>>>(shape(2, 40, 40, 320), shape(320, 3, 3, 72),
                                                                     shape(2, 20, 20, 72)).gemm.wgmma;
    EXPECT_FALSE(twice.evaluates);
    EXPECT_EQ(wgmma_m_tiles({128, 80, false, true, ""}, twice), 2 * 3 * 6);  // every second line of 16
    EXPECT_EQ(wgmma_m_tiles({256, 128, false, true, ""}, twice), 2 * 3 * 3);
}

struct two_sums : Linear<Buf<0>, Mul<Out, Gelu<OutGate>>> {};

TEST(WgmmaMainloop, AShapeIsThatOfTheTables) {
    const auto linear = [](index_t m, index_t n, index_t k) {
        return WgmmaShape{WgmmaInput::copied, false, 1, 1, 1, m, 1, n, k};
    };
    EXPECT_EQ(of<plain>(shape(154, 320), shape(320, 768), shape(154, 768)).gemm.wgmma.shape(), linear(154, 320, 768));
    EXPECT_EQ(of<plain>(shape(2, 64, 320), shape(320, 72), shape(2, 64, 72)).gemm.wgmma.shape(), linear(128, 320, 72));
    WgmmaShape pairs = linear(64, 640, 320);   // n: of the weights
    pairs.pairs = true;
    EXPECT_EQ(of<two_sums>(shape(64, 320), shape(640, 320), shape(64, 320)).gemm.wgmma.shape(), pairs);

    const auto x = shape(2, 32, 16, 128), y = shape(2, 32, 16, 320), w = shape(320, 3, 3, 128);
    const WgmmaShape halo{WgmmaInput::halo, false, 1, 2, 32, 16, 9, 320, 128};
    EXPECT_EQ(of<conv<Filter<3>>>(y, w, x).gemm.wgmma.shape(), halo);
    WgmmaShape evaluated = halo;
    evaluated.input = WgmmaInput::evaluated_halo;
    EXPECT_EQ((of<conv<Filter<3>, Normed>>(y, w, x, shape(2, 1, 1, 128), shape(2, 1, 1, 128)).gemm.wgmma.shape()),
              evaluated);
    EXPECT_EQ(of<conv<Filter<1>>>(y, shape(320, 1, 1, 128), x).gemm.wgmma.shape(), linear(1024, 320, 128));
    WgmmaShape strided = linear(256, 320, 128);
    strided.taps = 9;
    EXPECT_EQ((of<conv<Filter<3, 3, 2>>>(shape(2, 16, 8, 320), w, x).gemm.wgmma.shape()), strided);
}

/// The schedule of a product on an H200.
ChosenWgmma chosen(int windows, index_t images, index_t side, index_t m, index_t n, index_t steps) {
    WgmmaGrid w{windows, 1, m, n, steps, {}, nullptr};
    w.rows.images = static_cast<int>(images);
    w.rows.width = w.rows.height = static_cast<int>(side);
    return choose_wgmma(w, 132);
}
TEST(WgmmaMainloop, LargeProductsTakeLargeTilesAndWholeSums) {
    for (const ChosenWgmma& c : {chosen(3, 1, 256, 65536, 512, 72), chosen(0, 1, 1, 65536, 512, 16)}) {
        EXPECT_EQ(c.choice.parts, 1);
        EXPECT_GE(c.schedule.m * c.schedule.n, 128 * 128);
    }
}
TEST(WgmmaMainloop, WhatDoesNotFillTheDeviceSplitsItsSum) {
    for (const ChosenWgmma& c : {chosen(3, 2, 8, 128, 1280, 180), chosen(0, 1, 1, 128, 1280, 80)}) {
        EXPECT_TRUE(c.schedule.splits());
        EXPECT_GT(c.choice.parts, 1);
        EXPECT_LE(c.choice.parts, 8);
        EXPECT_LE(c.tiles * c.choice.parts, 132);
    }
    EXPECT_EQ(chosen(0, 1, 1, 128, 1280, 1).choice.parts, 1);  // one step has no parts
}
TEST(WgmmaMainloop, TheChoiceIsWhatTheRuleFindsCheapest) {
    const ChosenWgmma c = chosen(0, 1, 1, 2048, 640, 40);
    EXPECT_EQ(c.choice.clocks, wgmma_cost(c.schedule, c.tiles, 40, c.choice.parts, 132).clocks());
    for (const WgmmaSchedule& s : wgmma_boxes) {
        if (s.pairs) continue;
        const index_t tiles = (2048 + s.m - 1) / s.m * ((640 + s.n - 1) / s.n);
        EXPECT_LE(c.choice.clocks, wgmma_cost(s, tiles, 40, 1, 132).clocks());
    }
}

// Heads of 64 end inside groups of 40 columns, whose epilogue would store them one by one.
TEST(WgmmaMainloop, TilesOfASinkThatSplitsColumnsHaveWholeGroupsInItsPieces) {
    WgmmaGrid w{0, 1, 512, 2304, 12, {}, nullptr, true};
    for (const auto& [run, group] : {std::pair<index_t, int>{40, 40}, {80, 40}, {160, 40}, {64, 32}, {96, 32}, {128, 32}}) {
        w.run = run;
        const ChosenWgmma c = choose_wgmma(w, 132);
        EXPECT_EQ(wgmma_group(c.schedule.n), group) << run;
        EXPECT_EQ(c.schedule.n % group, 0);
    }
    // No tile has their groups: the sink stores each by itself, and windows have tiles of 40s alone.
    for (const index_t run : {0, 1, 24, 48}) {
        w.run = run;
        EXPECT_EQ(choose_wgmma(w, 132).schedule.n % 40, 0) << run;
    }
    // Rows that go elsewhere whole have the tiles of rows that stay.
    w = {0, 1, 512, 768, 12, {}, nullptr, true};
    w.run = 768;
    WgmmaGrid stays = w;
    stays.cuts = false;
    EXPECT_EQ(choose_wgmma(w, 132).choice.index, choose_wgmma(stays, 132).choice.index);
    EXPECT_EQ(choose_wgmma(w, 132).schedule.n % 40, 0);
    w = {3, 1, 65536, 512, 72, {}, nullptr, true};
    w.run = 64, w.rows.images = 1, w.rows.width = w.rows.height = 256;
    EXPECT_EQ(choose_wgmma(w, 132).schedule.n % 40, 0);
}
// Pixels of a phase lie apart, their rows whole: every schedule has a kernel for them, with statistics too.
TEST(WgmmaMainloop, PhasesOfAnUpsampledFilterHaveAllSchedules) {
    const auto y = shape(1, 128, 128, 512), x = shape(1, 64, 64, 512);
    const auto w = shape(4, 512, 2048);
    const auto stats = shape<float>(1, 512, 2);
    for (const WgmmaGrid& g : {of<phases>(y, w, x).gemm.wgmma, of<phases_with_statistics>(y, stats, w, x).gemm.wgmma}) {
        EXPECT_EQ(g.windows, 2);
        EXPECT_FALSE(g.cuts);
        for (const WgmmaSchedule& s : wgmma_phases) EXPECT_TRUE(wgmma_supports(s, g)) << s.m << "x" << s.n;
    }
}
TEST(WgmmaMainloop, TilesThatHaveTwoSumsInHalvesAreWhole) {
    const WgmmaSchedule halves{128, 128, true, false, ""}, pieces{128, 160, false, false, ""};
    using Case = std::tuple<index_t, bool, bool>;
    for (const auto& [n, pairs, suited] :
         {Case{2560, true, true}, {2560, false, true}, {2624, true, false}, {2624, false, true}}) {
        const WgmmaGrid w{false, 1, 8192, n, 5, {}, nullptr, false, pairs};
        EXPECT_EQ(wgmma_supports(halves, w), suited) << n;
        EXPECT_TRUE(wgmma_supports(pieces, w));
        if (!suited) {
            EXPECT_NE(choose_wgmma_by_rule(w, 132).schedule.n, 128);
        }
    }
}

TEST(WgmmaMainloop, FewRowsTakeHalvesOfTiles) {
    const auto of_shape = [](index_t m, index_t n, index_t steps, bool cuts, bool pairs, bool evaluates) {
        WgmmaGrid w{false, 1, m, n, steps, {}, nullptr, cuts, pairs, evaluates};
        return choose_wgmma_by_rule(w, 132);
    };
    for (const auto& [m, n, steps] : {std::array<index_t, 3>{512, 1280, 10}, {512, 1280, 20}, {128, 1280, 20},
                                      {154, 320, 12}, {154, 1280, 12}})
        for (const bool cuts : {false, true}) {
            const ChosenWgmma c = of_shape(m, n, steps, cuts, false, false);
            EXPECT_EQ(c.schedule.m, 64) << m << "x" << n;
            EXPECT_EQ(c.schedule.n, 80) << m << "x" << n;
            EXPECT_NE(text(c).find("64x80x64, one warpgroup"), std::string::npos) << text(c);
            // There are none where the input is evaluated.
            EXPECT_EQ(of_shape(m, n, steps, cuts, false, true).schedule.groups, 2);
        }
    EXPECT_EQ(of_shape(128, 10240, 20, false, true, false).schedule.m, 128);    // its weights are read once
    EXPECT_EQ(of_shape(128, 10240, 20, false, true, false).schedule.n, 96);     // 16 of 32 columns are gates
    EXPECT_EQ(of_shape(128, 10240, 20, false, false, false).schedule.n, 80);
    EXPECT_EQ(of_shape(2048, 640, 10, false, false, false).schedule.m, 128);
    EXPECT_EQ(of_shape(8192, 320, 5, false, false, false).schedule.m, 128);
}

struct skip : Conv2D<Filter<3>, Concat<-1, Buf<0>, Buf<1>>, Add<Out, Buf<2>>> {};

TEST(WgmmaMainloop, ExplainNamesItsEngine) {
    const KernelReport l = of<skip>(shape(2, 32, 32, 640), shape(640, 3, 3, 960), shape(2, 32, 32, 640),
                              shape(2, 32, 32, 320), shape(640));
    EXPECT_EQ(line("frame", l),
              "conv2d [2, 32, 32, 640] fp16, sm_90a, wgmma.m64nNk16, multiplies fp16, accumulates fp32");
    EXPECT_EQ(line("Buf<0>", l), "[2, 32, 32, 640] fp16, piecewise view (Concat), TMA, rows of 64 x fp16");
    EXPECT_EQ(line("Buf<2>", l), "[640] fp16, plain, vector loads, 8 x fp16");
    EXPECT_EQ(line("weight 0", l), "[640, 3, 3, 960] fp16, plain, TMA, rows of 64 x fp16");
    EXPECT_EQ(line("schedule", l), text(choose_wgmma(l.gemm.wgmma, sm90a_target.units)));
    EXPECT_NE(line("bound", l), "");
    EXPECT_EQ(line("portable", l), "");
    EXPECT_EQ(line("work", l), "22.6 GFLOP, 17.6 MB, at least 22.9 us by the matrix unit");
    // Without code for sm_90a, on the same device.
    EXPECT_EQ(line("frame", l, sm90_target),
              "conv2d [2, 32, 32, 640] fp16, sm_90, mma.sync.m16n8k16, multiplies fp16, accumulates fp32");
    EXPECT_EQ(line("Buf<0>", l, sm90_target), "[2, 32, 32, 640] fp16, piecewise view (Concat), cp.async, 8 x fp16");
    EXPECT_EQ(line("bound", l, sm90_target), "");
    EXPECT_EQ(line("portable", l, sm90_target), "");
}
TEST(WgmmaMainloop, ExplainSaysWhatIsEvaluatedAndBroughtHow) {
    const KernelReport l = of<conv<Filter<3>, Normed>>(shape(2, 64, 64, 320), shape(320, 3, 3, 320), shape(2, 64, 64, 320),
                                                 shape(2, 1, 1, 320), shape(2, 1, 1, 320));
    EXPECT_EQ(line("access", l), "pointwise over views (Mul); applied in shared memory by warps of their own: "
                               "3 operations, 2 special per element");
    EXPECT_EQ(line("Buf<0>", l), "[2, 64, 64, 320] fp16, plain, TMA, rows of 64 x fp16");
    EXPECT_EQ(line("Buf<1>", l), "[2, 1, 1, 320] fp16, plain, vector loads, 8 x fp16");
    // Six blocks that share a sum evaluate up to four halo tiles each of the twenty, and multiply 30 steps.
    const auto deep = shape(2, 8, 8, 1280), vector = shape(2, 1, 1, 1280);
    const std::string bound =
        line("bound", of<conv<Filter<3>, Normed>>(deep, shape(1280, 3, 3, 1280), deep, vector, vector));
    EXPECT_EQ(bound.substr(0, 23), "the warps that evaluate") << bound;
    EXPECT_NE(bound.find(" x (15360 to evaluate + "), std::string::npos) << bound;
}
TEST(WgmmaMainloop, ExplainSaysWhetherTableOrRuleChose) {
    const auto schedule = [](index_t m, index_t n, index_t k) {
        return line("schedule", of<plain>(shape(m, n), shape(n, k), shape(m, k)));
    };
    EXPECT_NE(schedule(8192, 320, 320).find("(measured on an H200: "), std::string::npos);
    EXPECT_NE(schedule(8192, 328, 320).find("(by rule; bench/tune"), std::string::npos);
    EXPECT_NE(schedule(8200, 320, 320).find("(by rule; bench/tune"), std::string::npos);
}
TEST(WgmmaMainloop, ExplainSaysWhyAnEngineIsThePortableOne) {
    const auto w = shape(320, 128);
    const KernelReport by_types = of<gathered>(shape(64, 320), w, shape(100, 128), shape<const std::int32_t>(64));
    EXPECT_EQ(line("frame", by_types),
              "linear [64, 320] fp16, sm_90a, mma.sync.m16n8k16, multiplies fp16, accumulates fp32");
    EXPECT_EQ(line("portable", by_types), by_types.gemm.wgmma.refused);
    EXPECT_EQ(line("schedule", by_types), std::string(text(decide(product(64, 320, 128), sm90_target))));
    // Kernels that the engine may take are compiled with one portable tile beside it.
    const KernelReport by_address =
        of<plain>(shape(4096, 320), w, Tensor<fp16, 2>(nullptr, {{4096, 128}}, {{130, 1}}));
    EXPECT_EQ(line("schedule", by_address),
              fallback(4096, 320, 128));
    const KernelReport few = of<plain>(shape(8, 320), w, shape(8, 128));
    EXPECT_EQ(line("schedule", few), std::string(text(decide(product(8, 320, 128), sm90a_target))));
}
TEST(WgmmaMainloop, WhatBoundsAProduct) {
    const auto bound = [](index_t m, index_t n, index_t k) {
        const std::string s = line("bound", of<plain>(shape(m, n), shape(n, k), shape(m, k)));
        return s.substr(0, s.find(';'));
    };
    EXPECT_EQ(bound(154, 320, 64), "latency");
    EXPECT_EQ(bound(1 << 20, 128, 64), "memory");
    EXPECT_NE(bound(8192, 2560, 8192), "latency");
    EXPECT_NE(bound(8192, 2560, 8192), "memory");
}
TEST(WgmmaMainloop, FromTypesAloneItMayBeEither) {
    EXPECT_NE(explain<plain>(sm90a_target)
                  .find("  frame     linear fp16, sm_90a, mma.sync.m16n8k16, multiplies fp16, accumulates fp32, "
                        "or wgmma.m64nNk16 where extents and addresses allow\n"),
              std::string::npos);
    EXPECT_EQ(explain<plain>(sm90_target).find("wgmma"), std::string::npos);
    EXPECT_EQ((explain<plain, float>(sm90a_target).find("wgmma")), std::string::npos);
}

bool evaluates_first(const WgmmaGrid& w) {
    return decide(product(w), sm90a_target).before == GemmBefore::evaluates_input;
}
/// The faster way on an H200: evaluating beside the products, or by a kernel before (bench/price_list).
TEST(WgmmaMainloop, InputsAreEvaluatedBeforeWhereManyTilesWouldEvaluateThem) {
    struct Row {
        index_t m, n, k;
        int tensors;
        bool before;
    };
    for (const Row& r : {Row{8192, 320, 320, 1, false}, {8192, 320, 1280, 1, false}, {8192, 320, 1280, 2, true},
                         {8192, 2560, 320, 1, true}, {2048, 640, 640, 1, true}, {2048, 640, 2560, 2, true},
                         {512, 1280, 1280, 1, true}, {512, 10240, 1280, 1, true}, {512, 1280, 5120, 2, true},
                         {154, 320, 768, 1, true}, {128, 1280, 1280, 1, true}, {128, 10240, 1280, 1, true}}) {
        WgmmaGrid w;
        w.m = r.m, w.n = r.n, w.k = r.k, w.steps = r.k / 64, w.evaluates = true, w.tensors = r.tensors;
        EXPECT_EQ(evaluates_first(w), r.before) << r.m << "x" << r.n << "x" << r.k;
        EXPECT_FALSE(evaluates_first(evaluated_before(w)));
        w.refused = "no";
        EXPECT_FALSE(evaluates_first(w));
    }
    // Nine steps share what is evaluated under a window.
    WgmmaGrid window;
    window.windows = 3, window.evaluates = true;
    window.m = 512, window.n = 1280, window.k = 2560, window.steps = 360, window.taps = 9;
    window.rows.images = 2, window.rows.width = window.rows.height = 16;
    EXPECT_FALSE(evaluates_first(window));
}
TEST(WgmmaMainloop, ExplainSaysWhatIsEvaluatedBefore) {
    const auto y = shape(512, 1280), w = shape(1280, 1280), x = shape(512, 1280);
    const std::string access = line<silu_input>("access", sm90a_target, y, w, x),
                      schedule = line<silu_input>("schedule", sm90a_target, y, w, x);
    EXPECT_NE(access.find("applied by a kernel before: 1 operation, "), std::string::npos) << access;
    EXPECT_NE(schedule.find("two kernels: its input is evaluated into workspace, then 64x80x64, "), std::string::npos)
        << schedule;
    EXPECT_EQ(line<silu_input>("bound", sm90a_target, y, w, x), line<plain>("bound", sm90a_target, y, w, x));
    const auto tall = shape(8192, 320), few = shape(320, 320);
    const std::string beside = line<silu_input>("access", sm90a_target, tall, few, tall);
    EXPECT_NE(beside.find("applied in shared memory by warps of their own"), std::string::npos) << beside;
}

}  // namespace
