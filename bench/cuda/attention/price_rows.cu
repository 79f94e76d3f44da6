// SPDX-License-Identifier: Apache-2.0
/// Prices of rows: softmax with one key more, with a learned sink, sigmoid and linear attention, log-sum-exp stored.
#include "prices.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

CausalRule rule(RowKind row, const float* sinks = nullptr) {
    CausalRule r(priced.d);
    r.row = row;
    r.sinks = sinks;
    return r;
}
template <class Row>
auto with() {
    return [](Case&, const Tokens<bf16>& o) { return kernel<attend<128, mask::Causal, Row>>(o); };
}

}  // namespace

void price_rows(Bench& bench) {
    price(bench, "row_plus_one", by(rule(RowKind::plus_one)), with<row::SoftmaxPlusOne>());
    price(bench, "row_sigmoid", by(rule(RowKind::sigmoid)), with<row::Sigmoid>());
    price(bench, "row_linear", by(rule(RowKind::linear)), with<row::Linear>());
    const std::vector<float> sinks(static_cast<std::size_t>(priced.heads), 0.5f);
    const float* of_heads = nullptr;
    price(
        bench, "row_sink", [&](Case&) { return rule(RowKind::sink, of_heads); },
        [&](Case& c, const Tokens<bf16>& o) {
            of_heads = c.constant(sinks);
            return kernel<attend<128, mask::Causal, row::Sink<Buf<3>>>>(o, tensor(of_heads, priced.heads, 1, 1));
        });
    price(bench, "row_log_sum_exp", by(rule(RowKind::softmax)), [](Case& c, const Tokens<bf16>& o) {
        const auto sums = c.output<float>(priced.batch * priced.heads * priced.queries);
        return [=](int i) {
            return prepare<attend<128, mask::Causal, RowStore<1, row::LogSumExp>>>(
                o.y(i), tensor(sums[i], priced.batch, priced.heads, priced.queries), o.q(i), o.k(i), o.v(i));
        };
    });
}

}  // namespace inlay_bench
