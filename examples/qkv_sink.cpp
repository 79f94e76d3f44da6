// SPDX-License-Identifier: Apache-2.0
/// One matrix product writes Q, K and V of all heads where attention reads them: its sink cuts the columns in three,
/// splits them into heads and permutes. Attention writes back through a permuting sink. No pass only moves data.
#include "example.hpp"

using namespace inlay;
using example::random, example::zeros;

/// [B, S, H·D] to [B, H, S, D] of output I.
template <int I>
using Heads = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;
struct qkv : Linear<Buf<0>, Out, Partition<-1, Heads<0>, Heads<1>, Heads<2>>> {};

/// Reads [B, H, S, 40], writes [B, S, H, 40].
struct attend : Attention<40, Buf<0>, Buf<1>, Buf<2>, Permuted<Store<0>, 0, 2, 1, 3>> {};

int main() {
    const index_t batch = 2, tokens = 64, heads = 4, d = 40, c = heads * d;
    auto x = random(1, 1, batch, tokens, c);
    auto w = random(2, 0.2f, 3 * c, c);
    auto q = zeros(batch, heads, tokens, d), k = q, v = q, y = zeros(batch, tokens, heads, d);

    example::Program fused;
    fused.add<qkv>("qkv", *q, *k, *v, *w, *x);
    fused.add<attend>("attention", *y, *q, *k, *v);

    // With a copy for each change of layout, as kernels that know one layout need.
    auto all = zeros(batch, tokens, 3, heads, d);
    auto q2 = q, k2 = q, v2 = q, y2 = q, z = y;
    const auto part = [&](index_t i) {
        return Tensor<float, 4>((*all).data + i * c, {{batch, tokens, heads, d}}, {{tokens * 3 * c, 3 * c, d, 1}});
    };
    using Swap = Permute<Buf<0>, 0, 2, 1, 3>;
    example::Program apart;
    apart.add<Linear<>>("qkv", reshaped(*all, batch, tokens, 3 * c), *w, *x);
    apart.add<Elementwise<Swap>>("split q", *q2, part(0));
    apart.add<Elementwise<Swap>>("split k", *k2, part(1));
    apart.add<Elementwise<Swap>>("split v", *v2, part(2));
    apart.add<Attention<40, Buf<0>, Buf<1>, Buf<2>>>("attention", *y2, *q2, *k2, *v2);
    apart.add<Elementwise<Swap>>("merge", *z, *y2);

    Host cpu;
    fused.run(cpu);
    apart.run(cpu);

    Oracle oracle;
    auto eq = zeros<double>(batch, heads, tokens, d), ek = eq, ev = eq;
    prepare<qkv>(*eq, *ek, *ev, *w, *x).run(oracle);
    const auto expected = example::exact<attend>(y.extents, *eq, *ek, *ev);
    bool ok = true;
    ok &= example::agrees("Q", q.data, eq.data);
    ok &= example::agrees("K", k.data, ek.data);
    ok &= example::agrees("V", v.data, ev.data);
    ok &= example::agrees("fused", y.data, expected);
    ok &= example::agrees("one at a time", z.data, expected);
    std::printf("%s\n", name<qkv::sink>().c_str());
    example::print_saved(apart, fused);
    return ok ? 0 : 1;
}
