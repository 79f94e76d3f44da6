// SPDX-License-Identifier: Apache-2.0
/// The UNet of Stable Diffusion 1.x: predicts the noise in latents [B, h, w, 4]. Three programs: once per schedule
/// (time projections of every step), once per prompt (keys and values of the text), and the step itself.
#pragma once

#include <inlay/expr/leaf.hpp>
#include <inlay/expr/ternary.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/model/config.hpp>
#include <inlay/nn/ends.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/projection.hpp>
#include <inlay/nn/resnet.hpp>
#include <inlay/nn/transformer.hpp>
#include <inlay/nn/upsample.hpp>

#include <optional>
#include <string>

namespace inlay::inline INLAY_ABI::model {

/// diffusers' Timesteps with flip_sin_to_cos and no shift: [cos(t·f_i), sin(t·f_i)], f_i = 10000^(−i / half).
/// Slots: timesteps [steps, 1] in fp32; the scalar is half the width.
using TimeAngle = Mul<Buf<0>, Exp<Mul<Const<-9.210340371976184>, Div<Coord<-1>, Param<0>>>>>;
using TimeAngleSin = Mul<Buf<0>, Exp<Mul<Const<-9.210340371976184>, Div<Sub<Coord<-1>, Param<0>>, Param<0>>>>>;
struct time_embedding : Elementwise<Where<Less<Coord<-1>, Param<0>>, Cos<TimeAngle>, Sin<TimeAngleSin>>> {};

struct time_linear1 : Linear<Buf<0>, Silu<Add<Out, Buf<1>>>> {};
/// The blocks apply SiLU to the embedding before projecting it; here once, as it is written.
struct time_linear2 : Linear<Buf<0>, Silu<Add<Out, Buf<1>>>> {};

/// Both halves of guided batches read the same latents (fp32), scaled for the sampler.
template <Storage T>
struct conv_in_guided : Conv2D<Filter<3>, nn::Rounded<Mul<Concat<0, Buf<0>, Buf<0>>, Param<0>>, T>, nn::Biased> {};
template <Storage T>
struct conv_in_plain : Conv2D<Filter<3>, nn::Rounded<Mul<Buf<0>, Param<0>>, T>, nn::Biased> {};
struct downsample : Conv2D<Filter<3, 3, 2, 1>, Buf<0>, nn::Biased> {};

/// Norms: where its transformers' LayerNorms are computed. Placed: where its ResNet blocks' shortcuts are.
template <Storage T, nn::LayerNorms Norms = nn::LayerNorms::own_kernels,
          nn::Shortcuts Placed = nn::Shortcuts::own_products>
class UNet {
    using ResNet = nn::ResNet<T, true, 1e-5, Placed>;
    using Transformer = nn::SpatialTransformer<T, Norms>;
    using Filter = nn::Filter3x3<T>;
    struct Block {
        std::string name;
        std::vector<ResNet> resnets;
        std::vector<Transformer> transformers;
        std::optional<Filter> downsampler;
        std::optional<nn::Upsample<T>> upsampler;
    };

public:
    using storage = T;
    UNet() = default;
    template <class L>
    UNet(const L& load, const UNetConfig& c) : config_(c) {
        require(c.groups == 32, "unet: norm_num_groups is ", c.groups, ", this build has 32");
        const index_t first = c.channels.front(), time = 4 * first;
        time1_ = nn::Projection<T>(load / "time_embedding" / "linear_1", time, first);
        time2_ = nn::Projection<T>(load / "time_embedding" / "linear_2", time, time);
        conv_in_ = {load / "conv_in", first, c.in_channels};
        const int levels = static_cast<int>(c.channels.size());
        std::vector<index_t> skips = {first};
        index_t ch = first;
        for (int i = 0; i < levels; ++i) {
            const L part = load / "down_blocks" / i;
            const index_t out = c.channels[static_cast<std::size_t>(i)];
            const bool attends = c.down_attention[static_cast<std::size_t>(i)];
            Block& b = down_.emplace_back();
            b.name = "down_blocks." + std::to_string(i);
            for (int j = 0; j < c.layers_per_block; ++j) {
                resnet(b, part, j, ch, out);
                if (attends) transformer(b, part, j, out);
                skips.push_back(ch = out);
            }
            if (i + 1 < levels) {
                b.downsampler = Filter(part / "downsamplers" / 0 / "conv", ch, ch);
                skips.push_back(ch);
            }
        }
        mid_.name = "mid_block";
        if (c.mid) {
            resnet(mid_, load / "mid_block", 0, ch, ch);
            transformer(mid_, load / "mid_block", 0, ch);
            resnet(mid_, load / "mid_block", 1, ch, ch);
        }
        for (int i = 0; i < levels; ++i) {
            const L part = load / "up_blocks" / i;
            Block& b = up_.emplace_back();
            b.name = "up_blocks." + std::to_string(i);
            const index_t out = c.channels[static_cast<std::size_t>(levels - 1 - i)];
            const bool attends = c.up_attention[static_cast<std::size_t>(i)];
            for (int j = 0; j < c.layers_per_block + 1; ++j) {
                resnet(b, part, j, ch + skips.back(), out, true);
                skips.pop_back();
                if (attends) transformer(b, part, j, out);
                ch = out;
            }
            if (i + 1 < levels) b.upsampler.emplace(part, ch);
        }
        norm_gamma_ = load.tensor("conv_norm_out.weight", first);
        norm_beta_ = load.tensor("conv_norm_out.bias", first);
        conv_out_ = {load / "conv_out", c.out_channels, first};
    }

    const UNetConfig& config() const { return config_; }

    /// The time projection of every ResNet block for every step, [steps, C] each. `timesteps`: [steps, 1].
    template <class Target>
    std::vector<Temporary<T, 2>> build_time(const nn::Build<T, Target>& b,
                                            const Tensor<const float, 2>& timesteps) const {
        const index_t steps = timesteps.extents[0], first = config_.channels.front();
        auto wave = b.temporary(steps, first), h = b.temporary(steps, 4 * first), emb = b.like(*h);
        b.template add<time_embedding>("time_proj", *wave, timesteps, first / 2);
        b.template add<time_linear1>("time_embedding.linear_1", *h, time1_.weight, *wave, time1_.bias);
        b.template add<time_linear2>("time_embedding.linear_2", *emb, time2_.weight, *h, time2_.bias);
        std::vector<Temporary<T, 2>> all;
        for (const auto& [name, p] : time_projections_) {
            all.push_back(b.temporary(steps, p.bias.extents[0]));
            b.template add<nn::linear_bias>(name, *all.back(), p.weight, *emb, p.bias);
        }
        return all;
    }
    /// Keys and values of the text [B, positions, context] for every transformer. `guided`: for steps whose noise has
    /// twice the items of x; the first ResNet block and transformer then compute what both halves share once.
    template <class Target>
    std::vector<typename Transformer::Text> build_text(const nn::Build<T, Target>& b, const Tensor<T, 3>& text,
                                                       bool guided = false) const {
        std::vector<typename Transformer::Text> all;
        guided = guided && begins_guided();
        each_transformer([&](const std::string& name, const Transformer& t) {
            all.push_back(guided && all.empty() ? t.build_guided_text(b / name, text) : t.build_text(b / name, text));
        });
        return all;
    }
    /// One step. x [B, h, w, 4] in fp32 → noise [B or 2B, h, w, 4]; twice the batch: both guidance halves read x.
    /// `input_scale` and `step` [1] (which row of `time`) are read at every run.
    template <class Target>
    void build(const nn::Build<T, Target>& b, const Tensor<const float, 4>& x, const float* input_scale,
               const std::vector<Temporary<T, 2>>& time, const Tensor<const std::int32_t, 1>& step,
               const std::vector<typename Transformer::Text>& text, const Tensor<T, 4>& noise) const {
        const index_t n = noise.extents[0], height = x.extents[1], width = x.extents[2];
        std::size_t next_time = 0, next_text = 0;
        std::vector<Temporary<T, 4>> skips;
        const auto run_resnet = [&](const Block& blk, std::size_t j, const Tensor<T, 4>& in, const Tensor<T, 4>* skip) {
            return blk.resnets[j].build(b / blk.name / "resnets" / static_cast<int>(j), in, skip, *time[next_time++],
                                        step);
        };
        const auto run_transformer = [&](const Block& blk, std::size_t j, const Tensor<T, 4>& in) {
            return blk.transformers[j].build(b / blk.name / "attentions" / static_cast<int>(j), in, text[next_text++]);
        };

        auto h = b.temporary(n, height, width, config_.channels.front());
        if (n == 2 * x.extents[0])
            b.template add<conv_in_guided<T>>("conv_in", *h, conv_in_.weight, x, conv_in_.bias, input_scale);
        else b.template add<conv_in_plain<T>>("conv_in", *h, conv_in_.weight, x, conv_in_.bias, input_scale);
        skips.push_back(std::move(h));
        const bool halves = begins_guided() && text.front().guided;
        require(!halves || n == 2 * x.extents[0], "unet: the text is of guided steps, which have noise of ",
                2 * x.extents[0], " items, not ", n);
        for (const Block& blk : down_) {
            for (std::size_t j = 0; j < blk.resnets.size(); ++j) {
                if (halves && &blk == &down_.front() && j == 0) {
                    Tensor<T, 4> half = *skips.back();
                    half.extents[0] = x.extents[0];
                    const auto shared = run_resnet(blk, 0, half, nullptr);
                    skips.push_back(blk.transformers[0].build_guided(b / blk.name / "attentions" / 0, *shared,
                                                                     text[next_text++]));
                    continue;
                }
                auto y = run_resnet(blk, j, *skips.back(), nullptr);
                if (!blk.transformers.empty()) y = run_transformer(blk, j, *y);
                skips.push_back(std::move(y));
            }
            if (blk.downsampler) {
                const auto& e = skips.back()->extents;
                auto y = b.temporary(e[0], (e[1] + 1) / 2, (e[2] + 1) / 2, e[3]);
                b.template add<downsample>(blk.name + ".downsamplers.0.conv", *y, blk.downsampler->weight,
                                           *skips.back(), blk.downsampler->bias);
                skips.push_back(std::move(y));
            }
        }
        if (config_.mid) {
            h = run_resnet(mid_, 0, *skips.back(), nullptr);
            h = run_transformer(mid_, 0, *h);
            h = run_resnet(mid_, 1, *h, nullptr);
        }
        for (const Block& blk : up_) {
            for (std::size_t j = 0; j < blk.resnets.size(); ++j) {
                const Temporary<T, 4> skip = std::move(skips.back());
                skips.pop_back();
                // Without a middle block the first one reads the last skip twice.
                const bool twice = !config_.mid && &blk == &up_.front() && j == 0;
                h = run_resnet(blk, j, twice ? *skip : *h, &*skip);
                if (!blk.transformers.empty()) h = run_transformer(blk, j, *h);
            }
            if (blk.upsampler) h = blk.upsampler->build(b / blk.name, *h);
        }
        auto normed = b.like(*h);
        b.template add<nn::norm_silu<1e-5>>("conv_norm_out", *normed, norm_gamma_, norm_beta_, *h);
        b.template add<nn::conv3x3>("conv_out", noise, conv_out_.weight, *normed, conv_out_.bias);
    }

private:
    template <class L>
    void resnet(Block& b, const L& part, int j, index_t in, index_t out, bool skip = false) {
        b.resnets.emplace_back(part / "resnets" / j, in, out, skip);
        time_projections_.emplace_back(
            b.name + ".resnets." + std::to_string(j) + ".time_emb_proj",
            nn::Projection<T>(part / "resnets" / j / "time_emb_proj", out, 4 * config_.channels.front()));
    }
    template <class L>
    void transformer(Block& b, const L& part, int j, index_t channels) {
        const bool first = &b == &down_.front() && j == 0;
        b.transformers.emplace_back(part / "attentions" / j, channels, config_.heads, config_.context, first);
    }
    /// True if the first block has a transformer with a guided plan.
    bool begins_guided() const {
        return !down_.empty() && !down_.front().transformers.empty() && down_.front().transformers.front().is_guided();
    }
    template <class F>
    void each_transformer(F&& f) const {
        const auto visit = [&](const Block& b) {
            for (std::size_t j = 0; j < b.transformers.size(); ++j)
                f(b.name + ".attentions." + std::to_string(j), b.transformers[j]);
        };
        for (const Block& b : down_) visit(b);
        visit(mid_);
        for (const Block& b : up_) visit(b);
    }

    UNetConfig config_;
    nn::Projection<T> time1_, time2_;
    std::vector<std::pair<std::string, nn::Projection<T>>> time_projections_;
    Filter conv_in_, conv_out_;
    std::vector<Block> down_, up_;
    Block mid_;
    Tensor<const T, 1> norm_gamma_, norm_beta_;
};

}  // namespace inlay::inline INLAY_ABI::model
