// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace inlay;

// GEGLU, evaluated as the Linear that follows it reads its input.
using Hidden = Slice<Buf<0>, -1, 0, 1280>;
using Gate = Slice<Buf<0>, -1, 1280, 1280>;
using Geglu = Mul<Hidden, Gelu<Gate>>;
// Prologue; epilogue: the bias, then the residual.
struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};

int main() {
    const int rows = 64, n = 320, k = 1280;
    std::vector<float> y(rows * n), w(n * k, 0.01f), x(rows * 2 * k, 1.0f), bias(n, 2.0f), residual(rows * n, 3.0f);
    Host cpu;
    // Output, weight, then Buf<0>, Buf<1>, Buf<2>. Shapes are checked here, once; run only runs.
    auto kernel = prepare<proj2>(tensor(y.data(), rows, n), tensor(w.data(), n, k), tensor(x.data(), rows, 2 * k),
                                 tensor(bias.data(), n), tensor(residual.data(), rows, n));
    kernel.run(cpu);

    const double expected = k * 0.01 * 0.5 * (1 + std::erf(std::sqrt(0.5))) + 2 + 3;
    std::printf("%s\ny = %g, expected %g\n", name<Geglu>().c_str(), y[0], expected);
    return std::abs(y[0] - expected) < 1e-4 ? 0 : 1;
}
