// SPDX-License-Identifier: Apache-2.0
/// Rows of attention beyond SD1.5's: extents, operands as [B, S, heads, D], the check of a row and its time. A row is
/// named attention/<kind>/<B>x<heads>x<key heads>x<queries>x<keys>x<D>/<dtype>; bench/attention_rows.py has the same
/// names.
#pragma once

#include "check.hpp"

namespace inlay_bench {

using inlay::bf16;
using inlay::fp16;

template <int I>
using Heads = inlay::Permute<inlay::Buf<I>, 0, 2, 1, 3>;
/// Queries, keys and values in slots 0, 1 and 2.
template <int D, class... Options>
struct attend : inlay::Attention<D, Heads<0>, Heads<1>, Heads<2>, Options...,
                                 inlay::Permuted<inlay::Store<0>, 0, 2, 1, 3>> {};

/// Q, K, V and the result of launch i.
template <class T>
struct Tokens {
    Sizes s;
    Case::Ring<const T> q_at, k_at, v_at;
    Case::Ring<T> y_at;

    Tokens(Case& c, const Sizes& sizes)
        : s(sizes), q_at(c.input<T>(s.batch * s.queries * s.heads * s.d)),
          k_at(c.input<T>(s.batch * s.keys * s.key_heads * s.d)),
          v_at(c.input<T>(s.batch * s.keys * s.key_heads * s.dv)),
          y_at(c.output<T>(s.batch * s.queries * s.heads * s.dv)) {}
    auto q(int i) const { return inlay::tensor(q_at[i], s.batch, s.queries, s.heads, s.d); }
    auto k(int i) const { return inlay::tensor(k_at[i], s.batch, s.keys, s.key_heads, s.d); }
    auto v(int i) const { return inlay::tensor(v_at[i], s.batch, s.keys, s.key_heads, s.dv); }
    auto y(int i) const { return inlay::tensor(y_at[i], s.batch, s.queries, s.heads, s.dv); }
};

/// A function that prepares kernel K for launch i, with further slots behind those of Q, K and V.
template <class K, class T, class... More>
auto kernel(const Tokens<T>& o, const More&... more) {
    return [=](int i) { return inlay::prepare<K>(o.y(i), o.q(i), o.k(i), o.v(i), more...); };
}

/// A prepared kernel whatever its type, so that a unit which only runs it need not compile it.
struct Launch {
    std::function<void(inlay::Cuda&)> on;
    void run(inlay::Cuda& target) const { on(target); }
};
template <class Make>
std::function<Launch(int)> any(Make make) {
    return [make](int i) {
        using Prepared = decltype(make(i));
        return Launch{[k = std::make_shared<Prepared>(make(i))](inlay::Cuda& target) { k->run(target); }};
    };
}
/// Plain causal attention in bf16 with heads of 128.
std::function<Launch(int)> causal(const Tokens<bf16>& o);

/// Runs launch 0 once for the check of some rows against double, then enters the kernel as the row's own.
template <class T, class Rule, class Make>
void ours(Bench& bench, Case& c, const Tokens<T>& o, const Rule& rule, Make make) {
    make(0).run(gpu(bench));
    const RowData<T> data{o.q_at[0], o.k_at[0], o.v_at[0], o.y_at[0]};
    c.number("fp64_l2", checked(c, bench.stream(), o.s, data, rule));
    c.ours(make);
}

inline std::string row_name(const std::string& kind, const Sizes& s, inlay::DType type) {
    return "attention/" + kind + "/" + s.text() + "/" + inlay::name(type);
}

}  // namespace inlay_bench
