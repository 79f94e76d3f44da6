// SPDX-License-Identifier: Apache-2.0
/// The VAE encoder of Stable Diffusion 1.x: images [B, H, W, 3] in [−1, 1] → mean and log variance of their latents,
/// [B, H/8, W/8, 8], the mean in the first four channels.
#pragma once

#include <inlay/model/config.hpp>
#include <inlay/nn/ends.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/projection.hpp>
#include <inlay/nn/vae_mid.hpp>

#include <optional>

namespace inlay::inline INLAY_ABI::model {

/// Images come in fp32.
template <Storage T>
struct conv_image : Conv2D<Filter<3>, nn::Rounded<Buf<0>, T>, nn::Biased> {};
/// Stride 2, padded at the bottom and right alone.
struct downsample_lopsided : Conv2D<Filter<3, 3, 2, 0, 1>, Buf<0>, nn::Biased> {};

template <Storage T>
class VaeEncoder {
    using ResNet = nn::ResNet<T, false, 1e-6>;
    using Conv = nn::Filter3x3<T>;
    struct Block {
        std::vector<ResNet> resnets;
        std::optional<Conv> downsampler;
    };

public:
    using storage = T;
    VaeEncoder() = default;
    template <class L>
    VaeEncoder(const L& load, const VaeConfig& c) : config_(c) {
        require(c.groups == 32, "vae: norm_num_groups is ", c.groups, ", this build has 32");
        const L encoder = load / "encoder";
        index_t ch = c.channels.front();
        conv_in_ = {encoder / "conv_in", ch, c.in_channels};
        const int levels = static_cast<int>(c.channels.size());
        for (int i = 0; i < levels; ++i) {
            const L part = encoder / "down_blocks" / i;
            const index_t out = c.channels[static_cast<std::size_t>(i)];
            Block& b = down_.emplace_back();
            for (int j = 0; j < c.layers_per_block; ++j, ch = out)
                b.resnets.emplace_back(part / "resnets" / j, ch, out);
            if (i + 1 < levels) b.downsampler = Conv(part / "downsamplers" / 0 / "conv", out, out);
        }
        mid_ = {encoder / "mid_block", ch};
        norm_gamma_ = encoder.tensor("conv_norm_out.weight", ch);
        norm_beta_ = encoder.tensor("conv_norm_out.bias", ch);
        conv_out_ = {encoder / "conv_out", 2 * c.latent_channels, ch};
        quant_ = nn::Projection<T>(load / "quant_conv", 2 * c.latent_channels, 2 * c.latent_channels);
    }

    const VaeConfig& config() const { return config_; }

    template <class Target>
    void build(const nn::Build<T, Target>& b, const Tensor<const float, 4>& image,
               const Tensor<float, 4>& moments) const {
        const auto& e = image.extents;
        const auto encoder = b / "encoder";
        auto x = b.temporary(e[0], e[1], e[2], config_.channels.front());
        encoder.template add<conv_image<T>>("conv_in", *x, conv_in_.weight, image, conv_in_.bias);
        for (std::size_t i = 0; i < down_.size(); ++i) {
            const auto part = encoder / "down_blocks" / static_cast<int>(i);
            for (std::size_t j = 0; j < down_[i].resnets.size(); ++j)
                x = down_[i].resnets[j].build(part / "resnets" / static_cast<int>(j), *x, nullptr, {}, {});
            if (down_[i].downsampler) {
                auto y = b.temporary(e[0], x->extents[1] / 2, x->extents[2] / 2, x->extents[3]);
                part.template add<downsample_lopsided>("downsamplers.0.conv", *y, down_[i].downsampler->weight, *x,
                                                       down_[i].downsampler->bias);
                x = std::move(y);
            }
        }
        x = mid_.build(encoder / "mid_block", *x);
        auto normed = b.like(*x);
        encoder.template add<nn::norm_silu<1e-6>>("conv_norm_out", *normed, norm_gamma_, norm_beta_, *x);
        auto z = b.temporary(e[0], x->extents[1], x->extents[2], 2 * config_.latent_channels);
        encoder.template add<nn::conv3x3>("conv_out", *z, conv_out_.weight, *normed, conv_out_.bias);
        b.template add<nn::linear_bias>("quant_conv", nn::flat(moments), quant_.weight, nn::flat(*z), quant_.bias);
    }

private:
    VaeConfig config_;
    Conv conv_in_, conv_out_;
    nn::Projection<T> quant_;
    nn::VaeMid<T> mid_;
    Tensor<const T, 1> norm_gamma_, norm_beta_;
    std::vector<Block> down_;
};

}  // namespace inlay::inline INLAY_ABI::model
