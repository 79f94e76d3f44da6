// SPDX-License-Identifier: Apache-2.0
/// Rows of scores of several blocks, and what a softmax makes of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
inline bool has_key(const std::vector<float>& scores, int r) {
    const float* const row = &scores[static_cast<std::size_t>(r * blocks * keys)];
    return std::any_of(row, row + blocks * keys, [](float x) { return x != -infinity; });
}

}  // namespace emulator_test
