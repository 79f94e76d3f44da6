// SPDX-License-Identifier: Apache-2.0
#include "price.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

using In = Buf<0>;
using Geglu = Mul<Slice<In, -1, 0, param<0>>, Gelu<Slice<In, -1, param<0>, param<0>>>>;
/// [B, S, H·D] → [B, H, S, D].
using Heads = SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>;

template <class E = In, class Epilogue = Out, class S = Store<0>>
struct linear : Linear<E, Epilogue, S> {};
template <class E, class S = Store<0>>
struct pass : Elementwise<E, S> {};

/// y [M, N] of x [M, K] and w [N, K]; a pass before it writes t, a pass after it reads t.
struct Layer {
    index_t m, n, k;
    Case::Ring<const fp16> x, w;
    Case::Ring<fp16> y, t;
    auto out(int i) const { return tensor(y[i], m, n); }
    auto weight(int i) const { return inlay_bench::weight(w[i], n, k); }
    auto in(int i) const { return tensor(x[i], m, k); }
};
/// `wide`: columns of x; `between`: elements of t.
Layer layer(Case& c, const Shape& s, index_t wide, index_t between) {
    auto x = c.input<fp16>(s.m * wide), w = c.input<fp16>(s.n * s.k);
    auto y = c.output<fp16>(s.m * s.n), t = c.output<fp16>(between);
    c.number("count", static_cast<double>(s.count));
    return {s.m, s.n, s.k, x, w, y, t};
}

void pointwise(Bench& bench, const Shape& s, const std::string& name) {
    bench.run("price/silu_prologue/" + name, [&](Case& c) {
        const Layer l = layer(c, s, s.k, s.m * s.k);
        price(
            c, [=](int i) { return prepare<linear<Silu<In>>>(l.out(i), l.weight(i), l.in(i)); },
            [=](int i) { return prepare<linear<>>(l.out(i), l.weight(i), l.in(i)); },
            [=](int i) { return prepare<pass<Silu<In>>>(tensor(l.t[i], l.m, l.k), l.in(i)); },
            [=](int i) { return prepare<linear<>>(l.out(i), l.weight(i), read(tensor(l.t[i], l.m, l.k))); });
    });
    bench.run("price/bias_epilogue/" + name, [&](Case& c) {
        auto b = c.input<fp16>(s.n);
        const Layer l = layer(c, s, s.k, s.m * s.n);
        price(
            c,
            [=](int i) {
                return prepare<linear<In, Add<Out, Buf<1>>>>(l.out(i), l.weight(i), l.in(i), tensor(b[i], l.n));
            },
            [=](int i) { return prepare<linear<>>(l.out(i), l.weight(i), l.in(i)); },
            [=](int i) { return prepare<linear<>>(tensor(l.t[i], l.m, l.n), l.weight(i), l.in(i)); },
            [=](int i) {
                return prepare<pass<Add<In, Buf<1>>>>(l.out(i), read(tensor(l.t[i], l.m, l.n)), tensor(b[i], l.n));
            });
    });
    bench.run("price/residual_epilogue/" + name, [&](Case& c) {
        auto r = c.input<fp16>(s.m * s.n);
        const Layer l = layer(c, s, s.k, s.m * s.n);
        price(
            c,
            [=](int i) {
                return prepare<linear<In, Add<Out, Buf<1>>>>(l.out(i), l.weight(i), l.in(i), tensor(r[i], l.m, l.n));
            },
            [=](int i) { return prepare<linear<>>(l.out(i), l.weight(i), l.in(i)); },
            [=](int i) { return prepare<linear<>>(tensor(l.t[i], l.m, l.n), l.weight(i), l.in(i)); },
            [=](int i) {
                return prepare<pass<Add<In, Buf<1>>>>(l.out(i), read(tensor(l.t[i], l.m, l.n)), tensor(r[i], l.m, l.n));
            });
    });
}
void geglu_prologue(Bench& bench, const Shape& s, const std::string& name) {
    bench.run("price/geglu_prologue/" + name, [&](Case& c) {
        const Layer l = layer(c, s, 2 * s.k, s.m * s.k);
        const auto wide = [=](int i) { return tensor(l.x[i], l.m, 2 * l.k); };
        price(
            c, [=](int i) { return prepare<linear<Geglu>>(l.out(i), l.weight(i), wide(i), l.k); },
            [=](int i) { return prepare<linear<>>(l.out(i), l.weight(i), read(tensor(l.t[i], l.m, l.k))); },
            [=](int i) { return prepare<pass<Geglu>>(tensor(l.t[i], l.m, l.k), wide(i), l.k); },
            [=](int i) { return prepare<linear<>>(l.out(i), l.weight(i), read(tensor(l.t[i], l.m, l.k))); });
    });
}
/// Two sums at each column of half as many: of 32 rows of weights 16 are values, the others gates.
void geglu_epilogue(Bench& bench, const Shape& s, const std::string& name) {
    bench.run("price/geglu_epilogue/" + name, [&](Case& c) {
        auto x = c.input<fp16>(s.m * s.k), w = c.input<fp16>(s.n * s.k);
        auto y = c.output<fp16>(s.m * s.n / 2), t = c.output<fp16>(s.m * s.n);
        c.number("count", static_cast<double>(s.count));
        const Layer l{s.m, s.n, s.k, x, w, y, t};
        const auto between = [=](int i) { return tensor(l.t[i], l.m, l.n); };
        using Paired = Mul<Slice<In, 2, 0, 1>, Gelu<Slice<In, 2, 1, 1>>>;
        price(
            c,
            [=](int i) {
                return prepare<linear<In, Mul<Out, Gelu<OutGate>>>>(tensor(l.y[i], l.m, l.n / 2), l.weight(i), l.in(i));
            },
            [=](int i) { return prepare<linear<>>(between(i), l.weight(i), l.in(i)); },
            [=](int i) { return prepare<linear<>>(between(i), l.weight(i), l.in(i)); },
            [=](int i) {
                return prepare<pass<Paired>>(tensor(l.y[i], l.m, l.n / 32, 1, 16),
                                             read(tensor(l.t[i], l.m, l.n / 32, 2, 16)));
            });
    });
}
void permute_sink(Bench& bench, const Shape& s, const std::string& name) {
    bench.run("price/permute_sink/" + name, [&](Case& c) {
        const Layer l = layer(c, s, s.k, s.m * s.n);
        const index_t b = 2, tokens = s.m / b, heads = 8, d = s.n / heads;
        const auto rows = [=](int i) { return tensor(l.x[i], b, tokens, l.k); };
        const auto between = [=](int i) { return tensor(l.t[i], b, tokens, l.n); };
        const auto split = [=](int i) { return tensor(l.y[i], b, heads, tokens, d); };
        price(
            c, [=](int i) { return prepare<linear<In, Out, Heads>>(split(i), l.weight(i), rows(i)); },
            [=](int i) { return prepare<linear<>>(between(i), l.weight(i), rows(i)); },
            [=](int i) { return prepare<linear<>>(between(i), l.weight(i), rows(i)); },
            [=](int i) { return prepare<pass<In, Heads>>(split(i), read(between(i))); });
    });
}

}  // namespace

void price_linears(Bench& bench) {
    for (const Shape& s : bench.shapes("linear")) {
        if (s.model != "unet" || (bench.quick() && s.count < 30)) continue;
        const std::string name = s.kind + "/" + s.text() + "/fp16";
        if (s.m >= 128) pointwise(bench, s, name);
        if (s.k == 4 * s.n) geglu_prologue(bench, s, name);
        if (s.n == 8 * s.k) geglu_epilogue(bench, s, name);
        if (s.k == s.n && s.m >= 128) permute_sink(bench, s, name);
    }
}

}  // namespace inlay_bench
