// SPDX-License-Identifier: Apache-2.0
/// The maximum as columns of a product: they subtract their value, and the softmax of scores
/// that come from such a product is that of the scores themselves.
#include "softmaxes.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/folded_softmax.hpp>

#include <cmath>

namespace emulator_test {

template <class T>
__device__ float value_of(std::uint32_t bits) {
    if constexpr (std::is_same_v<T, fp16>) return half_to_float(static_cast<std::uint16_t>(bits));
    else return float_of_bits(bits << 16);
}
/// The number that a product adds to the scores of a row of Q with these columns.
template <class T>
__device__ float product_of(const std::uint32_t (&columns)[2]) {
    const uint4 all = FoldedShift<T>::constants();
    const std::uint32_t constants[2] = {all.x, all.y};
    double sum = 0;
    for (int i = 0; i < 2; ++i)
        for (int part = 0; part < 2; ++part)
            sum += double(value_of<T>(columns[i] >> 16 * part & 0xffff)) *
                   value_of<T>(constants[i] >> 16 * part & 0xffff);
    return static_cast<float>(sum);
}

template <class T>
__global__ void folds(const float* wanted, float* subtracted, float* said) {
    const int i = static_cast<int>(threadIdx.x);
    const FoldedShift<T> f(wanted[i]);
    subtracted[i] = -product_of<T>({f.high, f.low}), said[i] = f.shift;
}
template <class T>
void expect_folded(float least) {
    const std::vector<float> wanted = {0, 1, -1, 0.3f, -7.7f, 1234.567f, -2047.9f, 65000, -65519, 1e6f, 3.3e7f, -6.6e7f,
                                       // of which nothing is left to the columns
                                       7e7f, -1e38f, infinity, -infinity};
    const int n = static_cast<int>(wanted.size());
    const Floats in(wanted), subtracted(counting(n)), said(counting(n));
    ASSERT_EQ(error_of({1, n}, folds<T>, static_cast<const float*>(in.p), subtracted.p, said.p), "");
    EXPECT_EQ(subtracted.get(), said.get());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const float want = std::abs(wanted[i]) <= 67108864.0f ? wanted[i] : 0.0f;
        EXPECT_LE(std::abs(said.get()[i] - want), least) << wanted[i];
    }
}
TEST(WgmmaFoldedSoftmax, ColumnsSubtractWhatTheySay) {
    expect_folded<fp16>(0x1p-24f);
    expect_folded<bf16>(0);
}

/// Σ p·v of 16 rows of scores [rows, blocks · keys], of which block b has the value b + 1.
template <class T>
__global__ void softmax(const float* scores, float* outputs) {
    __shared__ std::uint32_t columns[2 * 8 * 32];    // of 16 rows of 128 bytes, the first two words
    const int lane = static_cast<int>(threadIdx.x), row = lane / 4, column = lane % 4 * 2;
    if (lane < rows) columns[32 * lane] = columns[32 * lane + 1] = 0;
    warp_sync();
    WgmmaFoldedSoftmax<T, keys> online;
    float o[4] = {};
    for (int b = 0; b < blocks; ++b) {
        float s[keys / 2];
        for (int i = 0; i < keys / 2; ++i) {
            const int r = row + i / 2 % 2 * 8;
            s[i] = scores[r * blocks * keys + b * keys + i / 4 * 8 + column + i % 2] +
                   product_of<T>({columns[32 * r], columns[32 * r + 1]});
        }
        std::uint32_t p[keys / 16][4];
        const std::uint32_t mine = shared_address(columns + 32 * row);
        warp_sync();
        if (b == 0) online.begin(s, mine, p, o);
        else online.add(s, mine, p, o);
        weigh(p, static_cast<float>(b + 1), value_of<T>, o);
    }
    float by[2];
    online.gather();
    online.finish(by);
    for (int h = 0; h < 2; ++h) {
        float x = o[2 * h];
        x += shuffle_xor(x, 1);
        x += shuffle_xor(x, 2);
        if (lane % 4 == 0) outputs[row + 8 * h] = x * by[h];
    }
}

template <class T>
void expect_softmax_in(const std::vector<float>& s, double within) {
    const Floats in(s), outputs(counting(rows));
    ASSERT_EQ(error_of({1, 32}, softmax<T>, static_cast<const float*>(in.p), outputs.p), "");
    expect_means(s, outputs.get(), within);
}
/// Scores by row, block and key.
template <class F>
void expect_softmax(F&& score) {
    const std::vector<float> s = scores_of(score);
    expect_softmax_in<fp16>(s, 1e-3);
    expect_softmax_in<bf16>(s, 8e-3);
}

TEST(WgmmaFoldedSoftmax, SmallScores) {
    expect_softmax([](int r, int b, int k) { return static_cast<float>((r * 7 + b * 5 + k * 3) % 11) / 4; });
}
TEST(WgmmaFoldedSoftmax, GrowingScores) {
    expect_softmax([](int r, int b, int k) { return static_cast<float>(10 * b * (r % 3) + (k + r) % 5); });
    expect_softmax([](int r, int b, int k) { return static_cast<float>(b * (7 + r % 4) - (k + r) % 5); });
}
TEST(WgmmaFoldedSoftmax, NegativeScores) {
    expect_softmax([](int r, int b, int k) { return static_cast<float>(-100 + 20 * b * (r % 4) - (k + r) % 5); });
    expect_softmax([](int r, int b, int k) { return b == r % blocks && k == 7 * r % keys ? -1.0f : -60.0f - k; });
}
TEST(WgmmaFoldedSoftmax, NotANumber) {
    const float nan = std::nanf("");
    expect_softmax([=](int r, int b, int k) { return r % 5 == 2 && b == r % blocks && k == r ? nan : 20.0f * b - k; });
}
// Rows that see nothing for a while keep their warp from folding; those beside them are right all the same.
TEST(WgmmaFoldedSoftmax, RowsWithoutKeys) {
    expect_softmax([](int r, int b, int k) {
        const bool visible = r % 4 == 1 ? b > 1 : r % 4 == 2 ? b == 0 && k < 3 : r % 4 == 3;
        return visible ? static_cast<float>(k % 7 + 9 * b) : -infinity;
    });
}
// Of a few thousand; then too great for the columns of bf16, and of any, where fp32 has few bits left for differences.
TEST(WgmmaFoldedSoftmax, GreatScores) {
    expect_softmax([](int r, int b, int k) { return 5000.0f + 3 * b * (r % 4) - (k + r) % 5; });
    expect_softmax([](int r, int b, int k) { return -4e6f + 4 * b * (r % 4) - (k + r) % 5; });
    expect_softmax([](int r, int b, int k) { return 1e8f + 64 * b * (r % 4) - 8 * ((k + r) % 5); });
}

}  // namespace emulator_test
