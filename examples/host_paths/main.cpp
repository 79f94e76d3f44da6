// SPDX-License-Identifier: Apache-2.0
/// A portable program: this file is compiled once for any processor, layer.cpp for each path. Prints the path and the
/// largest error; fails where a value is wrong or depends on the number of threads.
#include "layer.hpp"

#include <cmath>
#include <cstdio>
#include <exception>

float bias_of(int output) { return 0.25f * static_cast<float>(output % 8); }

namespace {

/// Numbers between −1 and 1 that fp16 stores exactly.
std::vector<float> numbers(int n, unsigned state) {
    std::vector<float> all;
    for (int i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        all.push_back(static_cast<float>(static_cast<int>(state >> 22) - 512) / 512);
    }
    return all;
}

double largest_error(const std::vector<float>& y, const std::vector<float>& x, const std::vector<float>& w) {
    double largest = 0;
    for (int r = 0; r < rows; ++r)
        for (int o = 0; o < outputs; ++o) {
            double sum = static_cast<double>(bias_of(o));
            for (int i = 0; i < inputs; ++i) {
                const auto v = static_cast<double>(x[static_cast<std::size_t>(r * inputs + i)]);
                sum += 0.5 * v * (1 + std::erf(v * std::sqrt(0.5))) *
                       static_cast<double>(w[static_cast<std::size_t>(o * inputs + i)]);
            }
            const double error = std::abs(static_cast<double>(y[static_cast<std::size_t>(r * outputs + o)]) - sum);
            if (!(error <= largest)) largest = error;
        }
    return largest;
}

}  // namespace

int main() {
    try {
        const Layer& layer = layer_here();
        const std::vector<float> x = numbers(rows * inputs, 1), w = numbers(outputs * inputs, 2);
        const std::vector<float> y = layer.run(x, w, 1);
        for (const int threads : {2, 3, 7})
            if (layer.run(x, w, threads) != y) return std::printf("%d threads compute other values\n", threads), 1;
        if (layer.median(y) != median_of(y)) return std::printf("the median is another one\n"), 1;
        const double error = largest_error(y, x, w);
        std::printf("%s: largest error %.1e\n", layer.isa, error);
        return error < 1e-4 ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
