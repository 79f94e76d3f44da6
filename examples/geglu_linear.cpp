// SPDX-License-Identifier: Apache-2.0
/// The feed-forward of a transformer block of Stable Diffusion: GEGLU is evaluated as the second linear layer reads its
/// input, bias and residual as it writes. Nothing between is stored.
#include "example.hpp"

using namespace inlay;
using example::random, example::zeros;

using Hidden = Slice<Buf<0>, -1, 0, 1280>;
using Gate = Slice<Buf<0>, -1, 1280, 1280>;
using Geglu = Mul<Hidden, Gelu<Gate>>;

// The same type, written as a value.
constexpr auto x = buf<0>;
static_assert(std::same_as<Geglu, decltype(slice<-1, 0, 1280>(x) * gelu(slice<-1, 1280, 1280>(x)))>);

struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};

int main() {
    const index_t rows = 256, n = 320, k = 1280;
    auto proj1 = random(1, 1, rows, 2 * k), w = random(2, 0.05f, n, k), residual = random(3, 1, rows, n);
    auto bias = random(4, 1, n);
    auto y = zeros(rows, n);

    example::Program fused;
    fused.add<proj2>("proj2", *y, *w, *proj1, *bias, *residual);

    // The same as separate kernels, each of which stores its result.
    auto activated = zeros(rows, k), geglu = zeros(rows, k), product = zeros(rows, n), z = zeros(rows, n);
    example::Program apart;
    apart.add<Elementwise<Gelu<Gate>>>("gelu", *activated, *proj1);
    apart.add<Elementwise<Mul<Hidden, Buf<1>>>>("mul", *geglu, *proj1, *activated);
    apart.add<Linear<Buf<0>, Add<Out, Buf<1>>>>("linear", *product, *w, *geglu, *bias);
    apart.add<Elementwise<Add<Buf<0>, Buf<1>>>>("residual", *z, *product, *residual);

    Host cpu;
    fused.run(cpu);
    apart.run(cpu);
    const auto expected = example::exact<proj2>(y.extents, *w, *proj1, *bias, *residual);
    bool ok = example::agrees("fused", y.data, expected);
    ok &= example::agrees("one at a time", z.data, expected);
    example::print_saved(apart, fused);
    for (const KernelReport& l : fused.launches()) std::printf("\n%s", explain(l, host_target).c_str());
    return ok ? 0 : 1;
}
