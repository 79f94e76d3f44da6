// SPDX-License-Identifier: Apache-2.0
/// Attention as a plain double loop over queries and keys, which shares no code with the library.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace inlay_test {

/// n numbers between -1 and 1, the same on every run.
inline std::vector<float> numbers(std::size_t n, std::uint32_t state) {
    std::vector<float> r(n);
    for (float& x : r) {
        state = state * 1664525u + 1013904223u;
        x = static_cast<float>(state >> 8) * 0x1p-23f - 1;
    }
    return r;
}

inline constexpr int B = 2, H = 4, Hkv = 2, S = 40, D = 16;
inline auto queries = numbers(B * H * S * D, 1), keys = numbers(B * Hkv * S * D, 2),
            values = numbers(B * Hkv * S * D, 3);

inline constexpr double none = -std::numeric_limits<double>::infinity();

/// A pair of a query and a key, of as many queries as keys.
struct Pair {
    int batch, head, i, j;
    double product;
};
/// The score of a pair, `none` where the key is hidden, and the weight of each key from the scores of a row.
using PlainScore = std::function<double(const Pair&)>;
using PlainRow = std::function<std::vector<double>(const std::vector<double>&, int head)>;

/// e^score over the sum of these and `more`.
inline std::vector<double> softmax_with(double more, const std::vector<double>& scores) {
    std::vector<double> w;
    for (double x : scores) more += std::exp(x), w.push_back(std::exp(x));
    for (double& x : w) x /= more;
    return w;
}
inline std::vector<double> softmax(const std::vector<double>& scores, int) { return softmax_with(0, scores); }
/// `at`: the place of element d of a position of a head, of as many heads.
using PlainPlace = std::function<std::size_t(int batch, int heads, int head, int position, int d)>;
inline std::size_t by_heads(int batch, int heads, int head, int position, int d) {
    return static_cast<std::size_t>(((batch * heads + head) * S + position) * D + d);
}
inline std::size_t by_positions(int batch, int heads, int head, int position, int d) {
    return static_cast<std::size_t>(((batch * S + position) * heads + head) * D + d);
}

/// `at`, `key_at`: the places in queries and results, and in keys and values.
inline std::vector<double> plain(const PlainScore& score, const PlainRow& row, const PlainPlace& at = by_heads,
                                 const PlainPlace& key_at = by_heads, const std::vector<float>& of_keys = keys,
                                 const std::vector<float>& of_values = values,
                                 const std::vector<float>& of_queries = queries) {
    std::vector<double> all(queries.size());
    for (int b = 0; b < B; ++b)
        for (int h = 0; h < H; ++h)
            for (int n = 0; n < S; ++n) {
                std::vector<double> scores;
                for (int key = 0; key < S; ++key) {
                    double product = 0;
                    for (int d = 0; d < D; ++d)
                        product += static_cast<double>(of_queries[at(b, H, h, n, d)]) *
                                   static_cast<double>(of_keys[key_at(b, Hkv, h / 2, key, d)]);
                    scores.push_back(score({b, h, n, key, product}));
                }
                const std::vector<double> weights = row(scores, h);
                for (int d = 0; d < D; ++d)
                    for (int key = 0; key < S; ++key)
                        if (scores[static_cast<std::size_t>(key)] > none)
                            all[at(b, H, h, n, d)] += weights[static_cast<std::size_t>(key)] *
                                                      static_cast<double>(of_values[key_at(b, Hkv, h / 2, key, d)]);
            }
    return all;
}

}  // namespace inlay_test
