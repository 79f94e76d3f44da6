// SPDX-License-Identifier: Apache-2.0
/// The shapes of Stable Diffusion's three networks, as diffusers' config.json files give them. Defaults: SD1.5.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/report/seed_counts.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

struct ClipConfig {
    index_t vocabulary = 49408, hidden = 768, heads = 12, layers = 12, intermediate = 3072, positions = 77;
    std::string activation = "quick_gelu";
};

struct UNetConfig {
    index_t in_channels = 4, out_channels = 4, layers_per_block = 2, heads = 8, context = 768, groups = 32;
    std::vector<index_t> channels = {320, 640, 1280, 1280};
    std::vector<bool> down_attention = {true, true, true, false};
    std::vector<bool> up_attention = {false, true, true, true};
    bool mid = true;  ///< distilled models leave the middle block out

    UNetTopology topology() const {
        const std::size_t n = channels.size();
        const int levels = static_cast<int>(n), layers = static_cast<int>(layers_per_block);
        UNetTopology t;
        t.down_resnets = levels * layers;
        t.mid_resnets = mid ? 2 : 0;
        t.up_resnets = levels * (layers + 1);
        for (std::size_t i = 1; i < n; ++i) t.down_shortcuts += channels[i] != channels[i - 1];
        t.transformers = mid ? 1 : 0;
        for (std::size_t i = 0; i < n; ++i)
            t.transformers += down_attention[i] * layers + up_attention[i] * (layers + 1);
        t.downsamples = t.upsamples = levels - 1;
        return t;
    }
};

struct VaeConfig {
    index_t in_channels = 3, out_channels = 3, latent_channels = 4, layers_per_block = 2, groups = 32;
    std::vector<index_t> channels = {128, 256, 512, 512};
    double scaling_factor = 0.18215;
    /// Pixels per latent along an axis.
    index_t scale() const { return index_t(1) << (channels.size() - 1); }
};

}  // namespace inlay::inline INLAY_ABI::model
