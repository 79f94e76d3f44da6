// SPDX-License-Identifier: Apache-2.0
/// The VAE decoder of Stable Diffusion 1.x: latents [B, h, w, 4] → images [B, 8h, 8w, 3], unclipped, nominally in
/// [−1, 1].
#pragma once

#include <inlay/model/config.hpp>
#include <inlay/nn/ends.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/projection.hpp>
#include <inlay/nn/upsample.hpp>
#include <inlay/nn/vae_mid.hpp>

#include <optional>

namespace inlay::inline INLAY_ABI::model {

/// Reads latents in fp32, divided by the sampler's scale on the way.
template <Storage T>
struct post_quant : Linear<nn::Rounded<Div<Buf<0>, Param<0>>, T>, Add<Out, Buf<1>>> {};

template <Storage T>
class VaeDecoder {
    using ResNet = nn::ResNet<T, false, 1e-6>;
    using Conv = nn::Filter3x3<T>;
    struct Block {
        std::vector<ResNet> resnets;
        std::optional<nn::Upsample<T>> upsampler;
    };

public:
    using storage = T;
    VaeDecoder() = default;
    template <class L>
    VaeDecoder(const L& load, const VaeConfig& c) : config_(c) {
        require(c.groups == 32, "vae: norm_num_groups is ", c.groups, ", this build has 32");
        const index_t top = c.channels.back(), z = c.latent_channels;
        post_quant_ = nn::Projection<T>(load / "post_quant_conv", z, z);
        const L decoder = load / "decoder";
        conv_in_ = {decoder / "conv_in", top, z};
        mid_ = {decoder / "mid_block", top};
        index_t ch = top;
        const int levels = static_cast<int>(c.channels.size());
        for (int i = 0; i < levels; ++i) {
            const L part = decoder / "up_blocks" / i;
            const index_t out = c.channels[static_cast<std::size_t>(levels - 1 - i)];
            Block& b = up_.emplace_back();
            for (int j = 0; j < c.layers_per_block + 1; ++j, ch = out)
                b.resnets.emplace_back(part / "resnets" / j, ch, out);
            if (i + 1 < levels) b.upsampler.emplace(part, out);
        }
        norm_gamma_ = decoder.tensor("conv_norm_out.weight", ch);
        norm_beta_ = decoder.tensor("conv_norm_out.bias", ch);
        conv_out_ = {decoder / "conv_out", c.out_channels, ch};
    }

    const VaeConfig& config() const { return config_; }

    template <class Target>
    void build(const nn::Build<T, Target>& b, const Tensor<const float, 4>& latents,
               const Tensor<float, 4>& image) const {
        const auto& e = latents.extents;
        const index_t n = e[0], h = e[1], w = e[2], top = config_.channels.back();
        auto z = b.temporary(n, h, w, config_.latent_channels);
        b.template add<post_quant<T>>("post_quant_conv", nn::flat(*z), post_quant_.weight, nn::flat(latents),
                                      post_quant_.bias, config_.scaling_factor);
        auto x = b.temporary(n, h, w, top);
        const auto decoder = b / "decoder";
        decoder.template add<nn::conv3x3>("conv_in", *x, conv_in_.weight, *z, conv_in_.bias);
        x = mid_.build(decoder / "mid_block", *x);
        for (std::size_t i = 0; i < up_.size(); ++i) {
            const auto part = decoder / "up_blocks" / static_cast<int>(i);
            for (std::size_t j = 0; j < up_[i].resnets.size(); ++j)
                x = up_[i].resnets[j].build(part / "resnets" / static_cast<int>(j), *x, nullptr, {}, {});
            if (up_[i].upsampler) x = up_[i].upsampler->build(part, *x);
        }
        auto normed = b.like(*x);
        decoder.template add<nn::norm_silu<1e-6>>("conv_norm_out", *normed, norm_gamma_, norm_beta_, *x);
        decoder.template add<nn::conv3x3>("conv_out", image, conv_out_.weight, *normed, conv_out_.bias);
    }

private:
    VaeConfig config_;
    nn::Projection<T> post_quant_;
    Conv conv_in_, conv_out_;
    nn::VaeMid<T> mid_;
    Tensor<const T, 1> norm_gamma_, norm_beta_;
    std::vector<Block> up_;
};

}  // namespace inlay::inline INLAY_ABI::model
