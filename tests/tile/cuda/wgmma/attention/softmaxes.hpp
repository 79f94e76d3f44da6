// SPDX-License-Identifier: Apache-2.0
/// Rows of scores of several blocks, and what a softmax makes of them.
#pragma once

#include <gpu/emulated/check.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace emulator_test {

constexpr int keys = 32, blocks = 4, rows = 16;
constexpr float infinity = __builtin_huge_valf();

/// [rows, blocks · keys], by row, block and key.
template <class F>
std::vector<float> scores_of(F&& score) {
    std::vector<float> s;
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < blocks * keys; ++k) s.push_back(score(r, k / keys, k % keys));
    return s;
}

/// `got`: of each row the mean of values that its probabilities weigh, of which block b has b + 1; 0 where it has no
/// key, not a number where a score is none.
inline void expect_means(const std::vector<float>& scores, const std::vector<float>& got, double within) {
    for (int r = 0; r < rows; ++r) {
        const float* const row = &scores[static_cast<std::size_t>(r * blocks * keys)];
        const double most = *std::max_element(row, row + blocks * keys);
        double sum = 0, weighted = 0;
        if (std::any_of(row, row + blocks * keys, [](float x) { return std::isnan(x); })) {
            EXPECT_TRUE(std::isnan(got[static_cast<std::size_t>(r)])) << "row " << r;
            continue;
        }
        for (int k = 0; k < blocks * keys; ++k) {
            const double p = most == -infinity ? 0 : std::exp2(row[k] - most);
            sum += p, weighted += p * (k / keys + 1);
        }
        EXPECT_NEAR(got[static_cast<std::size_t>(r)], sum == 0 ? 0 : weighted / sum, within) << "row " << r;
    }
}
/// Adds a block's probabilities, each times `value`, to what a lane has of its two rows.
template <class F>
__device__ void weigh(const std::uint32_t (&p)[keys / 16][4], float value, F&& value_of, float (&o)[4]) {
    for (int i = 0; i < keys / 16; ++i)
        for (int j = 0; j < 4; ++j)
            for (int part = 0; part < 2; ++part) o[j % 2 * 2] += value_of(p[i][j] >> 16 * part & 0xffff) * value;
}
inline bool has_key(const std::vector<float>& scores, int r) {
    const float* const row = &scores[static_cast<std::size_t>(r * blocks * keys)];
    return std::any_of(row, row + blocks * keys, [](float x) { return x != -infinity; });
}

}  // namespace emulator_test
