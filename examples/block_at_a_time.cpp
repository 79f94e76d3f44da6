// SPDX-License-Identifier: Apache-2.0
/// Why fuse: SiLU and softmax, one operation at a time over whole tensors, and a block at a time with everything
/// between in registers and cache. Prints the bytes that each way moves and the time it takes on this machine.
#include "example.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

using namespace inlay;
using example::zeros;

/// Seconds of the fastest of five runs, after one to warm up.
double seconds(const example::Program& p, Host& cpu) {
    using Clock = std::chrono::steady_clock;
    p.run(cpu);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 5; ++i) {
        const auto start = Clock::now();
        p.run(cpu);
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

void report(const char* what, const example::Program& apart, const example::Program& fused, Host& cpu) {
    std::printf("%s\n", what);
    example::print_saved(apart, fused);
    const double slow = seconds(apart, cpu), fast = seconds(fused, cpu);
    std::printf("%-28s %.1f ms\n%-28s %.1f ms, %.2f times as fast\n\n", "one operation at a time", slow * 1e3,
                "block at a time", fast * 1e3, slow / fast);
}

int main() {
    const index_t rows = 8192, columns = 2048;  // 64 MiB of floats
    auto x = example::random(1, 8, rows, columns), y = zeros(rows, columns), z = y, t = y;
    Host cpu;
    bool ok = true;

    {
        example::Program apart, fused;
        apart.add<Elementwise<Sigmoid<Buf<0>>>>("sigmoid", *t, *x);
        apart.add<Elementwise<Mul<Buf<0>, Buf<1>>>>("mul", *z, *x, *t);
        fused.add<Elementwise<Silu<Buf<0>>>>("silu", *y, *x);
        report("SiLU, x * sigmoid(x)", apart, fused, cpu);

        std::vector<double> expected;
        for (const float v : x.data) expected.push_back(v / (1 + std::exp(-static_cast<double>(v))));
        ok &= example::agrees("SiLU, block at a time", y.data, expected);
        ok &= example::agrees("SiLU, one at a time", z.data, expected);
    }
    {
        auto top = zeros(rows, 1), sum = zeros(rows, 1);
        example::Program apart, fused;
        apart.add<Reduce<reduction::Max>>("max", *top, *x);
        apart.add<Elementwise<Sub<Buf<0>, Buf<1>>>>("subtract", *z, *x, *top);
        apart.add<Elementwise<Exp<Buf<0>>>>("exp", *t, *z);
        apart.add<Reduce<reduction::Sum>>("sum", *sum, *t);
        apart.add<Elementwise<Div<Buf<0>, Buf<1>>>>("divide", *z, *t, *sum);
        fused.add<Softmax<>>("softmax", *y, *x);
        std::printf("\n");
        report("softmax over the last axis", apart, fused, cpu);

        std::vector<double> expected;
        for (auto row = x.data.begin(); row != x.data.end(); row += columns) {
            const double highest = *std::max_element(row, row + columns);
            double total = 0;
            for (index_t j = 0; j < columns; ++j) total += std::exp(row[j] - highest);
            for (index_t j = 0; j < columns; ++j) expected.push_back(std::exp(row[j] - highest) / total);
        }
        ok &= example::agrees("softmax, block at a time", y.data, expected);
        ok &= example::agrees("softmax, one at a time", z.data, expected);
    }
    return ok ? 0 : 1;
}
