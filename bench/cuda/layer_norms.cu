// SPDX-License-Identifier: Apache-2.0
/// `cuda_layer_norms`: SD1.5's transformers and the step of its UNet in CUDA graphs, with LayerNorms in kernels of
/// their own and in the products behind them, replayed in turn. Prints kernels and microseconds of both, and how far apart
/// their results are, relative L2.
#include "layer_norms.hpp"
#include "replay.hpp"

#include <cstdio>

namespace inlay_bench {

std::vector<NormsJob> jobs_with_own_kernels(Cuda& gpu) { return norms_jobs<nn::LayerNorms::own_kernels>(gpu); }

}  // namespace inlay_bench

int main() {
    using namespace inlay_bench;
    Cuda gpu(0);
    const auto own = jobs_with_own_kernels(gpu), folded = jobs_in_products(gpu);
    std::printf("%-24s %8s %8s %12s %12s %8s %10s\n", "", "kernels", "folded", "us", "folded us", "ratio", "apart");
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i].run();
        folded[i].run();
        const auto a = own[i].result(), b = folded[i].result();
        double d = 0, s = 0;
        for (std::size_t k = 0; k < a.size(); ++k) d += (a[k] - b[k]) * (a[k] - b[k]), s += a[k] * a[k];
        constexpr int launches = 10;
        Replay first(0, gpu.stream(), launches, [&](int) { own[i].run(); });
        Replay second(0, gpu.stream(), launches, [&](int) { folded[i].run(); });
        const auto us = in_turn({&first, &second}, {settled_ms, 15});
        std::printf("%-24s %8zu %8zu %12.1f %12.1f %8.3f %10.2e\n", own[i].name.c_str(), own[i].kernels,
                    folded[i].kernels, us[0], us[1], us[0] / us[1], std::sqrt(d / s));
    }
}
