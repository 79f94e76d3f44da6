// SPDX-License-Identifier: Apache-2.0
/// Attention of bound operands: rows of Q, K and V are evaluated as the loop reaches them, and results leave through
/// the epilogue and the sink.
#pragma once

#include <inlay/plan/access/product_type.hpp>
#include <inlay/plan/attention/algebra.hpp>
#include <inlay/tile/host/attention/hide.hpp>
#include <inlay/tile/host/attention/loop.hpp>
#include <inlay/tile/host/attention/recurrence.hpp>
#include <inlay/tile/host/attention/softmax.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI::on_host {

/// `scores`: the slots of the form's expressions, and as `out` the extents of scores.
template <class Form, class Q, class K, class V, class Environment, class Epilogue, class Sink>
void bound_attention(Threads& threads, const inlay::AttentionShape& s, const Q& q, const K& k, const V& v,
                     const Environment& scores, const Epilogue& epilogue, const Sink& sink) {
    using Algebra = AttentionAlgebra<Form>;
    using Condition = typename Algebra::condition;
    constexpr index_t d = Algebra::d, dv = Algebra::dv;
    const AttentionShape flat{s.batch * s.heads, s.queries, s.keys, d, dv};
    const auto place = [&](index_t item, index_t i) { return Extents<4>{{item / s.heads, item % s.heads, i, 0}}; };
    using Common = attention_type<Q, K, V>;
    using T = factor_type<Common, Common>;
    const auto reads = [&](const auto& bound, index_t group, index_t n) {
        return [&bound, &place, group, n](index_t item, index_t i, T* scratch) {
            Extents<4> c = place(item, i);
            c[1] /= group;
            return read_row(bound, c, n, scratch);
        };
    };
    const auto store = [&](index_t item, index_t i, const float* row) {
        finish(epilogue, sink, place(item, i), dv, row);
    };
    const auto visits = [&](index_t item, index_t query0, index_t count, index_t size) {
        return key_blocks<Condition>(
            scores, QueryTile{item / s.heads, item % s.heads, 1, query0, query0 + count}, size);
    };
    const auto run = [&](const auto& rows) {
        attention<T>(threads, flat, rows, visits, reads(q, 1, d), reads(k, s.group, d), reads(v, s.group, dv));
    };
    if constexpr (Algebra::softmax && Algebra::scales_out && !Algebra::stores_number) {
        constexpr double scale = Algebra::scale * Algebra::log2_base * 0.6931471805599453;
        const HiddenKeys<Condition, Environment> hidden(scores);
        const auto hide = [&](index_t item, index_t i, index_t key0, index_t n, float* x) {
            if constexpr (!Algebra::every_key)
                hidden(ScoreRow{item / s.heads, item % s.heads, i}, key0, n, x);
        };
        run(SoftmaxRows<decltype(hide), decltype(store)>{static_cast<float>(scale), hide, store, dv});
    } else {
        const auto store_number = [&]([[maybe_unused]] index_t item, [[maybe_unused]] index_t i,
                                      [[maybe_unused]] float x) {
            if constexpr (Algebra::stores_number) {
                auto& to = get<Algebra::number::row_slot>(sink.outs)({{item / s.heads, item % s.heads, i}});
                to = to_storage<std::remove_reference_t<decltype(to)>>(x);
            }
        };
        run(RecurrenceRows<Algebra, Environment, decltype(store), decltype(store_number)>(scores, s.heads, store,
                                                                                          store_number));
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host
