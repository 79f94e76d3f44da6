// SPDX-License-Identifier: Apache-2.0
/// The second half of a ResNet block without its norm: SiLU as a 3×3 convolution reads, bias and residual as it writes.
/// The image is padded after the prologue, so outside it the convolution sees 0 whatever the function.
#include "example.hpp"

using namespace inlay;
using example::random, example::zeros;

// Written as values; the assertion below spells the same as types.
using Prologue = decltype(silu(buf<0>));
using Epilogue = decltype(out + buf<1> + buf<2>);
struct conv : Conv2D<Filter<3>, Prologue, Epilogue> {};
static_assert(std::derived_from<conv, Conv2D<Filter<3>, Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>>>);

int main() {
    const index_t batch = 1, height = 32, width = 32, channels = 64;
    auto x = random(1, 3, batch, height, width, channels), residual = random(2, 1, batch, height, width, channels);
    auto w = random(3, 0.1f, channels, 3, 3, channels);
    auto bias = random(4, 1, channels);
    auto y = zeros(batch, height, width, channels), a = y, b = y, z = y;

    example::Program fused;
    fused.add<conv>("conv", *y, *w, *x, *bias, *residual);

    example::Program apart;
    apart.add<Elementwise<Silu<Buf<0>>>>("silu", *a, *x);
    apart.add<Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>>>("conv", *b, *w, *a, *bias);
    apart.add<Elementwise<Add<Buf<0>, Buf<1>>>>("residual", *z, *b, *residual);

    Host cpu;
    fused.run(cpu);
    apart.run(cpu);
    const auto expected = example::exact<conv>(y.extents, *w, *x, *bias, *residual);
    bool ok = example::agrees("fused", y.data, expected);
    ok &= example::agrees("one at a time", z.data, expected);
    example::print_saved(apart, fused);
    return ok ? 0 : 1;
}
