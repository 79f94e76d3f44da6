// SPDX-License-Identifier: Apache-2.0
/// The examples of docs/frames.md: each kernel on the host as on the oracle, and the errors that the page quotes.
#include "pages.hpp"

#include <inlay/exec/oracle.hpp>
#include <inlay/exec/program.hpp>
#include <inlay/inlay.hpp>
#include <inlay/report/explain_program.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <regex>
#include <set>

namespace {

using namespace inlay;

/// Memory for the examples: n numbers between -1 and 1, the same on every run.
float* numbers(int n) {
    static std::deque<std::vector<float>> kept;
    static std::uint32_t state = 1;
    std::vector<float>& v = kept.emplace_back();
    for (int i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        v.push_back(static_cast<float>(state >> 8) * 0x1p-23f - 1);
    }
    return v.data();
}

float* const y = numbers(4096);
float* const w = numbers(4096);
float* const x = numbers(4096);
float* const k = numbers(4096);
float* const v = numbers(4096);
float* const bias = numbers(64);
float* const residual = numbers(4096);
float* const gammas = numbers(64);
float* const betas = numbers(64);
std::int32_t ids[] = {3, 0, 3, 8};

struct project : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};  // x · wᵀ + bias + residual
const auto projected = prepare<project>(tensor(y, 6, 8), tensor(w, 8, 4), tensor(x, 6, 4), tensor(bias, 8),
                                        tensor(residual, 6, 8));

struct geglu : Linear<Buf<0>, Mul<Out, Gelu<OutGate>>> {};  // two sums a column: w has 2 · 16 rows
const auto gated_product = prepare<geglu>(tensor(y, 6, 16), tensor(w, 32, 4), tensor(x, 6, 4));

struct conv : Conv2D<Filter<3>, Silu<Buf<0>>, Add<Out, Buf<1>>> {};  // 3×3, stride 1, padding 1
const auto convolved = prepare<conv>(tensor(y, 2, 5, 5, 8), tensor(w, 8, 3, 3, 4), tensor(x, 2, 5, 5, 4),
                                     tensor(bias, 8));
struct down : Conv2D<Filter<3, 3, 2, 0, 1>> {};  // stride 2, one row and column of zeros at the bottom and right
const auto halved = prepare<down>(tensor(y, 2, 3, 3, 8), tensor(w, 8, 3, 3, 4), tensor(x, 2, 6, 6, 4));
struct depthwise : Conv2D<Filter<3, 3, 1, 1, 1, 1, 8>> {};  // dilation 1, eight groups of one channel
const auto by_channel = prepare<depthwise>(tensor(y, 2, 5, 5, 8), tensor(w, 8, 3, 3, 1), tensor(x, 2, 5, 5, 8));

struct enlarge : ConvTranspose2D<4, 2, 1> {};  // 4×4, stride 2, padding 1: twice the pixels each way
const auto enlarged = prepare<enlarge>(tensor(y, 1, 6, 6, 8), tensor(w, 8, 4, 4, 4), tensor(x, 1, 3, 3, 4));

struct doubled : UpsampledConv2D<Silu<Buf<0>>, Add<Out, Buf<1>>> {};  // of an image of twice the pixels each way
const auto upsampled = prepare<doubled>(tensor(y, 2, 10, 10, 8), tensor(w, 4, 8, 16), tensor(x, 2, 5, 5, 4),
                                        tensor(bias, 8));

template <int I>
using Heads = Permute<Buf<I>, 0, 2, 1, 3>;  // a tensor [B, S, heads, D] read as [B, heads, S, D]
struct attend : Attention<8, Heads<0>, Heads<1>, Heads<2>, Permuted<Store<0>, 0, 2, 1, 3>, mask::Causal> {};
const auto attended = prepare<attend>(tensor(y, 2, 5, 4, 8), tensor(x, 2, 5, 4, 8), tensor(k, 2, 7, 2, 8),
                                      tensor(v, 2, 7, 2, 8));
struct queries_of_base2 : Linear<Buf<0>, Mul<Out, Param<0>>> {};  // the parameter: score::Base2::factor(8)
struct attend_base2 : Attention<8, Heads<0>, Heads<1>, Heads<2>, score::Base2> {};
const auto of_powers = prepare<attend_base2>(tensor(y, 2, 4, 5, 8), tensor(x, 2, 5, 4, 8), tensor(k, 2, 7, 2, 8),
                                             tensor(v, 2, 7, 2, 8));

struct norm : LayerNorm<Add<Buf<0>, Buf<1>>> {};
const auto normed = prepare<norm>(tensor(y, 6, 8), tensor(gammas, 8), tensor(betas, 8), tensor(x, 6, 8),
                                  tensor(residual, 6, 8));
struct rms : RMSNorm<Buf<0>, Out, Store<0>, 1e-5> {};
const auto scaled = prepare<rms>(tensor(y, 6, 8), tensor(gammas, 8), tensor(x, 6, 8));
struct group_norm_silu : GroupNorm<4, Buf<0>, Silu<Out>> {};
const auto grouped = prepare<group_norm_silu>(tensor(y, 2, 5, 5, 8), tensor(gammas, 8), tensor(betas, 8),
                                              tensor(x, 2, 5, 5, 8));

struct weights_of_keys : Softmax<Mul<Buf<0>, Param<0>>> {};
const auto summing_to_one = prepare<weights_of_keys>(tensor(y, 6, 8), tensor(x, 6, 8), 0.125);

struct channel_means : Reduce<reduction::Mean, Axes<1, 2>> {};  // [B, H, W, C] → [B, 1, 1, C]
const auto averaged = prepare<channel_means>(tensor(y, 2, 1, 1, 8), tensor(x, 2, 5, 5, 8));

struct axpy : Elementwise<Add<Mul<Param<0>, Buf<0>>, Buf<1>>> {};
const auto added = prepare<axpy>(tensor(y, 6, 8), tensor(x, 6, 8), tensor(bias, 8), 0.5);
const auto embedded = prepare<Embedding<>>(tensor(y, 4, 8), tensor(x, 9, 8), tensor(ids, 4));

template <class Kernel>
void expect_as_oracle(const Kernel& kernel, int n) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Host cpu;
    std::fill(y, y + n, nan);
    kernel.run(cpu);
    const std::vector<float> got(y, y + n);
    std::fill(y, y + n, nan);
    Oracle oracle;
    kernel.run(oracle);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(got[static_cast<std::size_t>(i)], y[i], 1e-5f) << i;
}

TEST(Frames, ExamplesRun) {
    expect_as_oracle(projected, 48);
    expect_as_oracle(gated_product, 96);
    expect_as_oracle(convolved, 400);
    expect_as_oracle(halved, 144);
    expect_as_oracle(by_channel, 400);
    expect_as_oracle(enlarged, 288);
    expect_as_oracle(attended, 320);
    expect_as_oracle(of_powers, 320);
    expect_as_oracle(normed, 48);
    expect_as_oracle(scaled, 48);
    expect_as_oracle(grouped, 400);
    expect_as_oracle(summing_to_one, 48);
    expect_as_oracle(averaged, 16);
    expect_as_oracle(added, 48);
    expect_as_oracle(embedded, 32);
}

TEST(Frames, PackedOnce) {
    Host cpu;
    projected.run(cpu);
    const std::vector<float> plain(y, y + 48);
    std::fill(y, y + 48, 0.0f);

    std::vector<float> panels(static_cast<std::size_t>(Host::packed_size(1, 8, 4)));  // batch, N, K
    const Packed<float, 2> packed = cpu.pack(tensor(w, 8, 4), panels.data());
    prepare<project>(tensor(y, 6, 8), packed, tensor(x, 6, 4), tensor(bias, 8), tensor(residual, 6, 8)).run(cpu);

    EXPECT_EQ(plain, std::vector<float>(y, y + 48));

    by_channel.run(cpu);
    const std::vector<float> unpacked(y, y + 400);
    std::vector<float> grouped_panels(static_cast<std::size_t>(Host::packed_size(8, 1, 9)));
    const auto filter = cpu.pack(tensor(w, 8, 3, 3, 1), grouped_panels.data(), 8);
    prepare<depthwise>(tensor(y, 2, 5, 5, 8), filter, tensor(x, 2, 5, 5, 8)).run(cpu);
    EXPECT_EQ(unpacked, std::vector<float>(y, y + 400));
}

TEST(Frames, RunTimeExplain) {
    Host cpu;            // a thread for each processor; Host(4) has four
    projected.run(cpu);  // the first run allocates what it needs

    Host::Mark begin(cpu), end(cpu);
    begin.set();
    projected.run(cpu);
    end.set();
    end.wait();
    const double seconds = end.seconds_since(begin);

    const std::string there = explain(describe<project>(projected), host_target);  // of these shapes
    const std::string anywhere = explain<project, fp16>(target_named("sm_90a"));   // of the types alone

    EXPECT_GT(seconds, 0);
    EXPECT_NE(there.find("project"), there.npos);
    EXPECT_NE(there.find("epilogue  Add<Add<Out, Buf<1>>, Buf<2>>"), there.npos) << there;
    EXPECT_NE(anywhere.find("wgmma"), anywhere.npos) << anywhere;
}

TEST(Frames, TensorsAndPrograms) {
    const auto image = tensor(x, 2, 5, 5, 4);                               // dense: the last axis varies fastest
    const auto pixels = reshaped(image, 50, 4);                             // the same elements
    const Tensor<const float, 2> half_of_each_row(x, {{50, 2}}, {{4, 1}});  // extents, strides in elements

    Program<Host> program;
    program.add<project>("mlp.fc1", tensor(y, 50, 8), tensor(w, 8, 4), pixels, tensor(bias, 8),
                         tensor(residual, 50, 8));
    program.add<Softmax<>>("probabilities", tensor(k, 50, 2), half_of_each_row);
    Host cpu;
    program.run(cpu);
    const std::string text = explain_program(program.launches(), host_target);

    Oracle oracle;
    std::vector<double> exact(50 * 8);
    prepare<project>(tensor(exact.data(), 50, 8), tensor(w, 8, 4), pixels, tensor(bias, 8), tensor(residual, 50, 8))
        .run(oracle);

    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(y[i], exact[i], 1e-5);
    for (int i = 0; i < 50; ++i) EXPECT_NEAR(k[2 * i] / k[2 * i + 1], std::exp(x[4 * i] - x[4 * i + 1]), 1e-4f);
    EXPECT_NE(text.find("mlp.fc1: project"), text.npos) << text;
}

/// An epilogue may read the tensor that the sink writes, each element at its own place.
TEST(Frames, AResidualInPlace) {
    Host cpu;
    projected.run(cpu);
    const std::vector<float> apart(y, y + 48);
    std::copy(residual, residual + 48, y);
    prepare<project>(tensor(y, 6, 8), tensor(w, 8, 4), tensor(x, 6, 4), tensor(bias, 8), tensor(y, 6, 8)).run(cpu);
    EXPECT_EQ(apart, std::vector<float>(y, y + 48));
}

std::string page() {
    return std::regex_replace(inlay_test::text_of(inlay_test::project() / "docs/frames.md"), std::regex("\\s+"), " ");
}

/// Expects that `f` throws a sentence with `words`, and that the page quotes them.
template <class F>
void refuses(const std::string& words, F&& f) {
    static const std::string text = page();
    EXPECT_NE(text.find("`" + words + "`"), text.npos) << "docs/frames.md does not quote: " << words;
    try {
        f();
        ADD_FAILURE() << "nothing was thrown, not: " << words;
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
}

TEST(Frames, ErrorsOfThePage) {
    const auto y2 = tensor(y, 6, 8);
    const auto y4 = tensor(y, 2, 5, 5, 8);
    const auto b = tensor(bias, 8);
    refuses("the input [6, 5] has K = 5, the weight [8, 4] has K = 4",
            [&] { prepare<project>(y2, tensor(w, 8, 4), tensor(x, 6, 5), b, y2); });
    refuses("the output takes [6, 9], the kernel computes [6, 8]",
            [&] { prepare<project>(tensor(y, 6, 9), tensor(w, 8, 4), tensor(x, 6, 4), b, y2); });
    refuses("the weight [24, 4] has 24 rows, expected pairs of 16",
            [&] { prepare<geglu>(tensor(y, 6, 12), tensor(w, 24, 4), tensor(x, 6, 4)); });
    refuses("the weight [8, 1, 1, 4] is not 3x3 (PyTorch's [O, C, R, S] is permuted to [O, R, S, C])",
            [&] { prepare<conv>(y4, tensor(w, 8, 1, 1, 4), tensor(x, 2, 5, 5, 4), b); });
    refuses("the input [2, 5, 5, 3] has 3 channels (the last extent: images are NHWC), the weight [8, 3, 3, 4] takes 4 "
            "in each of 1 groups",
            [&] { prepare<conv>(y4, tensor(w, 8, 3, 3, 4), tensor(x, 2, 5, 5, 3), b); });
    refuses("the window is larger than the padded image [2, 2, 2, 4]",
            [&] { prepare<down>(y4, tensor(w, 8, 3, 3, 4), tensor(x, 2, 1, 1, 4)); });
    const Tensor<float, 2> every_second(w, {{8, 4}}, {{8, 2}});
    refuses("the weight [8, 4] is not dense", [&] { prepare<project>(y2, every_second, tensor(x, 6, 4), b, y2); });
    struct three_groups : Conv2D<Filter<3, 3, 1, 1, 1, 1, 3>> {};
    refuses("the 8 output channels of the weight [8, 3, 3, 2] are not a multiple of 3 groups",
            [&] { prepare<three_groups>(y4, tensor(w, 8, 3, 3, 2), tensor(x, 2, 5, 5, 6)); });
    Host cpu;
    std::vector<float> panels(static_cast<std::size_t>(Host::packed_size(8, 1, 9)));
    const auto by_groups = cpu.pack(tensor(w, 8, 3, 3, 1), panels.data(), 8);
    struct of_one_channel : Conv2D<Filter<3>> {};
    refuses("the weight [8, 3, 3, 1] was packed for 8 groups, the kernel has 1",
            [&] { prepare<of_one_channel>(y4, by_groups, tensor(x, 2, 5, 5, 1)); });
    struct greatest : Reduce<reduction::Max, Axes<1, 2>> {};
    refuses("the input [2, 0, 0, 8] has no elements along the reduced axes, of which there would be a maximum or minimum",
            [&] { prepare<greatest>(tensor(y, 2, 1, 1, 8), tensor(x, 2, 0, 0, 8)); });
    refuses("the table [0, 8] has nothing along axis 0 that an index could name",
            [&] { prepare<Embedding<>>(tensor(y, 4, 8), tensor(x, 0, 8), tensor(ids, 4)); });
    const Tensor<float, 2> endless(x, {{index_t(1) << 32, index_t(1) << 32}}, {{0, 0}});
    refuses("tensor slot 0 [4294967296, 4294967296] has extents that multiply to more than 2^54",
            [&] { prepare<Softmax<>>(y2, endless); });
    const auto q = tensor(x, 2, 5, 4, 8), out = tensor(y, 2, 5, 4, 8);
    refuses("K has 7 keys, V 5", [&] { prepare<attend>(out, q, tensor(k, 2, 7, 2, 8), tensor(v, 2, 5, 2, 8)); });
    refuses("K has 2 heads, V 4", [&] { prepare<attend>(out, q, tensor(k, 2, 7, 2, 8), tensor(v, 2, 7, 4, 8)); });
    refuses("Q has a batch of 2, K of 1, V of 1",
            [&] { prepare<attend>(out, q, tensor(k, 1, 7, 2, 8), tensor(v, 1, 7, 2, 8)); });
    refuses("the head dimension is 8, Q is [2, 4, 5, 8], K is [2, 2, 7, 4], V is [2, 2, 7, 4]",
            [&] { prepare<attend>(out, q, tensor(k, 2, 7, 2, 4), tensor(v, 2, 7, 2, 4)); });
    refuses("4 query heads are not a multiple of 3 key heads",
            [&] { prepare<attend>(out, q, tensor(k, 2, 7, 3, 8), tensor(v, 2, 7, 3, 8)); });
    const auto by_heads = tensor(x, 2, 4, 5, 8), to_heads = tensor(y, 2, 4, 5, 8);
    const auto few_keys = tensor(k, 2, 2, 7, 8);
    struct biased : Attention<8, Buf<0>, Buf<1>, Buf<2>, score::Of<Add<Out, Buf<3>>>> {};
    refuses("the score Add<Out, Buf<3>> under Const<1> has extents [2, 4, 5, 7], expected those of scores, [1, 4, 5, 7]",
            [&] {
                prepare<biased>(tensor(y, 1, 4, 5, 8), tensor(x, 1, 4, 5, 8), tensor(k, 1, 2, 7, 8),
                                tensor(v, 1, 2, 7, 8), tensor(bias, 2, 1, 1, 1));
            });
    struct with_sink : Attention<8, Buf<0>, Buf<1>, Buf<2>, row::Sink<Buf<3>>> {};
    refuses("the row reads Buf<3> with extents [7], which do not broadcast over its rows [2, 4, 5, 1]",
            [&] { prepare<with_sink>(to_heads, by_heads, few_keys, few_keys, tensor(bias, 7)); });
    struct with_sums : Attention<8, Buf<0>, Buf<1>, Buf<2>, RowStore<1, row::LogSumExp>> {};
    refuses("the numbers of rows are [2, 4, 5], output 1 is [2, 4, 6]",
            [&] { prepare<with_sums>(to_heads, tensor(w, 2, 4, 6), by_heads, few_keys, few_keys); });
    refuses("the input [6, 8] has 8 channels, gamma has 4",
            [&] { prepare<norm>(y2, tensor(gammas, 4), tensor(betas, 8), y2, y2); });
    refuses("the weight [1, 8, 16] has 1 phases, expected 4 (the filter [O, 3, 3, C] goes through phase_weights)",
            [&] { prepare<doubled>(tensor(y, 2, 10, 10, 8), tensor(w, 1, 8, 16), tensor(x, 2, 5, 5, 4), b); });
    refuses("the input [2, 5, 5, 4] has 4 channels (the last extent: images are NHWC), the weight [4, 8, 12] takes "
            "12 / 4 under its four taps",
            [&] { prepare<doubled>(tensor(y, 2, 10, 10, 8), tensor(w, 4, 8, 12), tensor(x, 2, 5, 5, 4), b); });
    struct thirds : GroupNorm<3> {};
    refuses("8 channels are not a multiple of 3 groups",
            [&] { prepare<thirds>(y4, tensor(gammas, 8), tensor(betas, 8), tensor(x, 2, 5, 5, 8)); });
    refuses("the output takes [6, 8], the expression has extents [5, 8]",
            [&] { prepare<axpy>(y2, tensor(x, 5, 8), b, 1); });
}

/// Every frame of the headers has a heading.
TEST(Frames, EveryFrameIsOnThePage) {
    std::set<std::string> frames;
    const std::regex declared(R"(\nstruct (\w+)\s*:\s*(?:frame_tag|Conv2D<))");
    for (const auto& entry : std::filesystem::directory_iterator(inlay_test::project() / "include/inlay/frame")) {
        const std::string text = inlay_test::text_of(entry.path());
        for (std::sregex_iterator m(text.begin(), text.end(), declared), end; m != end; ++m) frames.insert((*m)[1]);
    }
    EXPECT_GE(frames.size(), 10u);
    const auto lines = inlay_test::lines_of(inlay_test::project() / "docs/frames.md");
    for (const std::string& f : frames)
        EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
            return line.starts_with("## ") && std::regex_search(line, std::regex("\\b" + f + "\\b"));
        })) << "docs/frames.md has no heading for " << f;
}

}  // namespace
