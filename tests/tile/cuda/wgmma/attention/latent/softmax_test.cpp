// SPDX-License-Identifier: Apache-2.0
/// The online softmax of two warpgroups that take blocks in turn: each has the sums of its own blocks, and outputs of
/// all of them.
#include <tile/cuda/wgmma/attention/softmaxes.hpp>

#include <inlay/tile/cuda/wgmma/attention/latent/softmax.hpp>

namespace emulator_test {

__device__ float value_of_half(std::uint32_t bits) { return half_to_float(static_cast<std::uint16_t>(bits)); }

/// Σ p·v over Σ p, as `softmax_test.cpp` has it, by each of two that hand probabilities to each other.
__global__ void in_turn(const float* scores, float* outputs) {
    const int lane = static_cast<int>(threadIdx.x), row = lane / 4, column = lane % 4 * 2;
    WgmmaTurnSoftmax<keys> of[2];
    float o[2][4] = {};
    for (int b = 0; b < blocks; ++b) {
        float s[keys / 2];
        for (int i = 0; i < keys / 2; ++i)
            s[i] = scores[(row + i / 2 % 2 * 8) * blocks * keys + b * keys + i / 4 * 8 + column + i % 2];
        std::uint32_t p[keys / 16][4];
        auto &mine = of[b % 2], &theirs = of[1 - b % 2];
        if (mine.template add<fp16>(s, 1.0f, p)) mine.move(o[b % 2]);
        if (theirs.adopt(mine.shift[0], mine.shift[1])) theirs.move(o[1 - b % 2]);
        for (auto& output : o) weigh(p, static_cast<float>(b + 1), value_of_half, output);
    }
    for (auto& softmax : of) softmax.gather();
    for (int i = 0; i < 2; ++i)
        for (int h = 0; h < 2; ++h) {
            const float sum = of[0].sum[h] + of[1].sum[h];
            float x = o[i][2 * h];
            x += shuffle_xor(x, 1);
            x += shuffle_xor(x, 2);
            if (lane % 4 == 0) outputs[i * rows + row + 8 * h] = sum == 0.0f ? 0.0f : x / sum;
        }
}
template <class F>
void expect_in_turn(F&& score) {
    const std::vector<float> s = scores_of(score);
    const Floats in(s), outputs(counting(2 * rows));
    ASSERT_EQ(error_of({1, 32}, in_turn, static_cast<const float*>(in.p), outputs.p), "");
    const std::vector<float> both = outputs.get();
    for (int i = 0; i < 2; ++i) expect_means(s, {both.begin() + i * rows, both.begin() + (i + 1) * rows}, 1e-3);
}

TEST(WgmmaTurnSoftmax, SmallScores) {
    expect_in_turn([](int r, int b, int k) { return static_cast<float>((r * 7 + b * 5 + k * 3) % 11) / 4; });
}
TEST(WgmmaTurnSoftmax, ScoresThatGrowOrFall) {
    expect_in_turn([](int r, int b, int k) { return static_cast<float>(10 * b * (r % 3) + (k + r) % 5); });
    expect_in_turn([](int r, int b, int k) { return static_cast<float>(-10 * b * (r % 3) + (k + r) % 5); });
    expect_in_turn([](int r, int b, int k) { return b == r % blocks && k == 5 * r % keys ? 300.0f : 0.0f; });
}
TEST(WgmmaTurnSoftmax, RowsWithoutKeys) {
    expect_in_turn([](int r, int b, int k) {
        const bool visible = r % 4 == 1 ? b > 1 : r % 4 == 2 ? b == 0 && k < 3 : r % 4 == 3;
        return visible ? static_cast<float>(k % 7) : -infinity;
    });
}
TEST(WgmmaTurnSoftmax, NotANumber) {
    const float nan = std::nanf("");
    expect_in_turn([=](int r, int b, int k) { return r % 5 == 2 && b == r % blocks && k == r ? nan : 20.0f * b - k; });
}

}  // namespace emulator_test
