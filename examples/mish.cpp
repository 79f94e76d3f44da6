// SPDX-License-Identifier: Apache-2.0
/// An operation that Inlay does not have, added from outside: one struct with one function, and every frame takes it.
#include "example.hpp"

using namespace inlay;
using example::random, example::zeros;

/// x · tanh(log(1 + eˣ)). T is float, double or a short vector of them.
template <class E>
struct Mish : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return x * math::tanh(math::log(T(1) + math::exp(x)));
    }
};
template <Expr E>
constexpr Mish<E> mish(E) {
    return {};
}
static_assert(std::same_as<Mish<Buf<0>>, decltype(mish(buf<0>))>);

/// In the prologue and in the epilogue: y = mish(mish(x) wᵀ + bias).
struct layer : Linear<Mish<Buf<0>>, Mish<Add<Out, Buf<1>>>> {};

int main() {
    const index_t rows = 128, n = 96, k = 160;
    auto x = random(1, 4, rows, k), w = random(2, 0.2f, n, k), y = zeros(rows, n);
    auto bias = random(3, 1, n);

    example::Program fused;
    fused.add<layer>("layer", *y, *w, *x, *bias);

    auto a = zeros(rows, k), b = zeros(rows, n), z = zeros(rows, n);
    example::Program apart;
    apart.add<Elementwise<Mish<Buf<0>>>>("mish", *a, *x);
    apart.add<Linear<Buf<0>, Add<Out, Buf<1>>>>("linear", *b, *w, *a, *bias);
    apart.add<Elementwise<Mish<Buf<0>>>>("mish", *z, *b);

    Host cpu;
    fused.run(cpu);
    apart.run(cpu);

    // A plain loop, with the operation from the C library.
    const auto f = [](double v) { return v * std::tanh(std::log1p(std::exp(v))); };
    std::vector<double> expected;
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = (*bias)({{j}});
            for (index_t l = 0; l < k; ++l) sum += f((*x)({{i, l}})) * (*w)({{j, l}});
            expected.push_back(f(sum));
        }
    bool ok = example::agrees("fused", y.data, expected);
    ok &= example::agrees("one at a time", z.data, expected);
    std::printf("%s\n", name<Mish<Add<Out, Buf<1>>>>().c_str());
    example::print_saved(apart, fused);
    return ok ? 0 : 1;
}
