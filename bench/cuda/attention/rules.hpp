// SPDX-License-Identifier: Apache-2.0
/// Scores and masks of the rows once more, as plain functions in double that share no code with the library, and the
/// pairs of queries and keys that a mask leaves.
#pragma once

#include <inlay/core/extents.hpp>

#include <cmath>
#include <string>

namespace inlay_bench {

using inlay::index_t;

/// Of queries [B, queries, heads, d] and of keys and values [B, keys, key_heads, d or dv].
struct Sizes {
    index_t batch, heads, key_heads, queries, keys, d;
    index_t dv = d;
    std::string text() const {
        std::string t;
        for (const index_t n : {batch, heads, key_heads, queries, keys, d})
            t += (t.empty() ? "" : "x") + std::to_string(n);
        return t;
    }
};

/// Uses of the scores of a row.
enum class RowKind { softmax, plus_one, sink, sigmoid, linear };

/// A rule has `visible(b, q, k)`, with q counted from the end of the keys, and `score(product, b, h, q, k)`; and, where
/// the product is not that of a row of queries and one of keys as they lie, `product(queries, keys, q, k)`.
struct FullRule {
    double scale;
    RowKind row = RowKind::softmax;
    const float* sinks = nullptr;       ///< of each head
    explicit FullRule(index_t d) : scale(1 / std::sqrt(static_cast<double>(d))) {}
    __host__ __device__ bool visible(index_t, index_t, index_t) const { return true; }
    __host__ __device__ double score(double product, index_t, index_t, index_t, index_t) const {
        return product * scale;
    }
};
struct CausalRule : FullRule {
    using FullRule::FullRule;
    __host__ __device__ bool visible(index_t, index_t q, index_t k) const { return k <= q; }
};

/// Pairs of a query and a key: those that a mask leaves, and those in the tiles of 128 queries and 128 keys that hold
/// one of them. No kernel with such tiles visits fewer. Of all batches, of one head.
struct Pairs {
    double visible = 0, in_tiles = 0;
};
template <class Rule>
Pairs pairs_of(const Rule& rule, const Sizes& s) {
    constexpr index_t tile = 128;
    Pairs pairs;
    const auto rest = [](index_t n, index_t from) { return n - from < tile ? n - from : tile; };
    for (index_t b = 0; b < s.batch; ++b)
        for (index_t q0 = 0; q0 < s.queries; q0 += tile)
            for (index_t k0 = 0; k0 < s.keys; k0 += tile) {
                const index_t queries = rest(s.queries, q0), keys = rest(s.keys, k0);
                index_t seen = 0;
                for (index_t q = q0; q < q0 + queries; ++q)
                    for (index_t k = k0; k < k0 + keys; ++k) seen += rule.visible(b, q + s.keys - s.queries, k);
                pairs.visible += static_cast<double>(seen);
                if (seen > 0) pairs.in_tiles += static_cast<double>(queries * keys);
            }
    return pairs;
}

}  // namespace inlay_bench
