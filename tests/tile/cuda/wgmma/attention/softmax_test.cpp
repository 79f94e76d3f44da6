// SPDX-License-Identifier: Apache-2.0
/// The online softmax of a warp: probabilities and sums of several blocks of scores are those of all of them at once.
#include "softmaxes.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/softmax.hpp>

#include <cmath>

namespace emulator_test {

__device__ float value_of(std::uint32_t bits) { return half_to_float(static_cast<std::uint16_t>(bits)); }

/// Σ p and Σ p·v of 16 rows of scores [rows, blocks · keys], of which block b has the value b + 1; the sum is kept as an
/// output is, so that what rebases one must rebase the other.
__global__ void softmax(const float* scores, float* sums, float* outputs) {
    const int lane = static_cast<int>(threadIdx.x), row = lane / 4, column = lane % 4 * 2;
    WgmmaSoftmax<keys> online;
    float o[4] = {};
    for (int b = 0; b < blocks; ++b) {
        float s[keys / 2];
        for (int i = 0; i < keys / 2; ++i)
            s[i] = scores[(row + i / 2 % 2 * 8) * blocks * keys + b * keys + i / 4 * 8 + column + i % 2];
        std::uint32_t p[keys / 16][4];
        if (b == 0) online.begin<fp16>(s, WgmmaScaledScores{1.0f}, p, o);
        else online.add<fp16>(s, WgmmaScaledScores{1.0f}, p, o);
        weigh(p, static_cast<float>(b + 1), value_of, o);
    }
    float by[2];
    online.gather();
    online.finish(by);
    for (int h = 0; h < 2; ++h) {
        float x = o[2 * h];
        x += shuffle_xor(x, 1);
        x += shuffle_xor(x, 2);
        if (lane % 4 == 0) sums[row + 8 * h] = by[h], outputs[row + 8 * h] = x * by[h];
    }
}

/// Scores by row, block and key.
template <class F>
void expect_softmax(F&& score) {
    const std::vector<float> s = scores_of(score);
    const Floats in(s), sums(counting(rows)), outputs(counting(rows));
    ASSERT_EQ(error_of({1, 32}, softmax, static_cast<const float*>(in.p), sums.p, outputs.p), "");
    expect_means(s, outputs.get(), 1e-3);
    const auto by = sums.get();
    for (int r = 0; r < rows; ++r) EXPECT_EQ(by[static_cast<std::size_t>(r)] == 0.0f, !has_key(s, r)) << "row " << r;
}

TEST(WgmmaSoftmax, SmallScores) {
    expect_softmax([](int r, int b, int k) { return static_cast<float>((r * 7 + b * 5 + k * 3) % 11) / 4; });
}
// Every block is so much more than those before that the exponents are rebased.
TEST(WgmmaSoftmax, GrowingScores) {
    expect_softmax([](int r, int b, int k) { return static_cast<float>(10 * b * (r % 3) + (k + r) % 5); });
}
// By less than what makes a lane's sum too great, so that one maximum serves; and by just as much.
TEST(WgmmaSoftmax, SlowlyGrowingScores) {
    expect_softmax([](int r, int b, int k) { return static_cast<float>(b * (r % 4) - (k + r) % 5); });
    expect_softmax([](int r, int b, int k) { return static_cast<float>(b * (7 + r % 4) - (k + r) % 5); });
}
// A NaN spoils its row, in a later block too, and no other of the warp.
TEST(WgmmaSoftmax, NotANumber) {
    const float nan = std::nanf("");
    expect_softmax([=](int r, int b, int k) { return r % 5 == 2 && b == r % blocks && k == r ? nan : 20.0f * b - k; });
}
// No score is positive, and each block's are more than those before; or all but a few are far below those.
TEST(WgmmaSoftmax, NegativeScores) {
    expect_softmax([](int r, int b, int k) { return static_cast<float>(-100 + 20 * b * (r % 4) - (k + r) % 5); });
    expect_softmax([](int r, int b, int k) { return b == r % blocks && k == 7 * r % keys ? -1.0f : -60.0f - k; });
}
// One of a row's four lanes sees the greatest score; the others must follow it.
TEST(WgmmaSoftmax, OneGreatScore) {
    expect_softmax([](int r, int b, int k) { return b == r % blocks && k == 5 * r % keys ? 300.0f : 0.0f; });
}
TEST(WgmmaSoftmax, RowsWithoutKeys) {
    expect_softmax([](int r, int b, int k) {
        const bool visible = r % 4 == 1 ? b > 1 : r % 4 == 2 ? b == 0 && k < 3 : r % 4 == 3;
        return visible ? static_cast<float>(k % 7) : -infinity;
    });
}

// Two halves of the keys whose exponents are relative to different scores, either of which may be none at all.
__global__ void join(const float* shifts, float* sums, float* factors) {
    const int i = static_cast<int>(threadIdx.x);
    WgmmaSoftmax<keys> online;
    online.shift[0] = shifts[2 * i], online.sum[0] = shifts[2 * i] == online.least ? 0.0f : 3.0f;
    const float other = shifts[2 * i + 1];
    online.join(0, other, other == online.least ? 0.0f : 5.0f, factors[2 * i], factors[2 * i + 1]);
    sums[i] = online.sum[0];
}
TEST(WgmmaSoftmax, JoinsHalves) {
    constexpr float none = WgmmaSoftmax<keys>::least;
    const std::vector<float> shifts = {1, 1, 2, 0, 0, 3, 4, none, none, 4, none, none, -200, 200};
    const int n = static_cast<int>(shifts.size()) / 2;
    const Floats in(shifts), sums(counting(n)), factors(counting(2 * n));
    ASSERT_EQ(error_of({1, n}, join, static_cast<const float*>(in.p), sums.p, factors.p), "");
    const std::vector<float> joined = {8, 3 + 5.0f / 4, 3.0f / 8 + 5, 3, 5, 0, 5};
    EXPECT_EQ(sums.get(), joined);
    const std::vector<float> both = {1, 1, 1, 0.25f, 0.125f, 1, 1, 0, 0, 1, 1, 1, 0, 1};
    EXPECT_EQ(factors.get(), both);
}

}  // namespace emulator_test
