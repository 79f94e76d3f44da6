// SPDX-License-Identifier: Apache-2.0
/// Launches of one UNet step under the rules of the document Inlay grew from, by topology: naive, where every operation
/// is a kernel, and with its fusions. The document's own totals count 7 transformers; Stable Diffusion 1.5 has 16.
#pragma once

namespace inlay::inline INLAY_ABI {

/// The numbers of a UNet's layers.
struct UNetTopology {
    int down_resnets = 0, mid_resnets = 0, up_resnets = 0;  ///< those of up blocks read a skip connection
    int down_shortcuts = 0;                                 ///< down ResNets that change the number of channels
    int transformers = 0, downsamples = 0, upsamples = 0;
};

struct SeedCounts {
    int naive = 0, fused = 0;
};

constexpr SeedCounts seed_counts(const UNetTopology& t) {
    const struct {
        int count, naive, fused;
    } rules[] = {
        {1, 4, 2},                                // sinusoid, linear, SiLU, linear; fused: the two linears
        {2, 1, 1},                                // conv_in, conv_out
        {t.down_resnets + t.mid_resnets, 10, 5},  // SiLU ×3, broadcast add and residual are fused
        {t.up_resnets, 12, 6},                    // and concat; with a shortcut convolution
        {t.down_shortcuts, 1, 1},
        {t.transformers, 33, 18},  // permutes, GEGLU and residuals are fused; Q, K, V stay three products
        {t.downsamples, 1, 1},
        {t.upsamples, 2, 1},  // upsample into its convolution
        {1, 2, 1},            // the last GroupNorm and SiLU
    };
    SeedCounts c;
    for (const auto& r : rules) {
        c.naive += r.count * r.naive;
        c.fused += r.count * r.fused;
    }
    return c;
}

}  // namespace inlay::inline INLAY_ABI
