// SPDX-License-Identifier: Apache-2.0
/// Attention on bound operands: rows of Q, K and V are evaluated as the tile's loop reaches them, under a mask, and
/// results leave through the epilogue and the sink.
#pragma once

#include <inlay/tile/host/attention.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/shapes.hpp>

#include <limits>

namespace inlay::inline INLAY_ABI::on_host {

template <class Mask, int D, class Q, class K, class V, class Epilogue, class Sink>
void bound_attention(Threads& threads, const inlay::AttentionShape& s, double scale, const Q& q, const K& k,
                     const V& v, const Epilogue& epilogue, const Sink& sink) {
    const AttentionShape flat{s.batch * s.heads, s.queries, s.keys, D, D};
    const auto query = [&](index_t item, index_t i) { return Extents<4>{{item / s.heads, item % s.heads, i, 0}}; };
    const auto reads = [&](const auto& bound, index_t group) {
        return [&bound, &query, group](index_t item, index_t i, float* scratch) {
            Extents<4> c = query(item, i);
            c[1] /= group;
            return read_row(bound, c, D, scratch);
        };
    };
    const auto store = [&](index_t item, index_t i, const float* row) {
        finish(epilogue, sink, query(item, i), D, row);
    };
    const float by = static_cast<float>(scale);
    if constexpr (Mask::identity) {
        attention(threads, flat, by, reads(q, 1), reads(k, s.group), reads(v, s.group), store);
    } else {
        attention(
            threads, flat, by, reads(q, 1), reads(k, s.group), reads(v, s.group), store,
            [&](index_t, index_t i, index_t key0, index_t n, float* scores) {
                for (index_t j = 0; j < n; ++j)
                    if (!Mask::visible(i, key0 + j, s.queries, s.keys))
                        scores[j] = -std::numeric_limits<float>::infinity();
            },
            [&](index_t, index_t i) { return Mask::end(i, s.queries, s.keys); });
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host
