// SPDX-License-Identifier: Apache-2.0
/// The ResNet block of the UNet and the VAE: GroupNorm+SiLU, conv (+ bias + time), GroupNorm+SiLU, conv (+ bias +
/// residual). SiLU rides in the norm's epilogue, the time embedding and the residual in the convolutions'; a skip
/// connection is a concat in the prologues. 4 launches, 5 where the number of channels changes.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/nn/build.hpp>

namespace inlay::inline INLAY_ABI::nn {

using Biased = Add<Out, Buf<1>>;
/// A value stored in fp32 as it is multiplied by weights of T: rounded to T.
template <class E, Storage T>
using Rounded = std::conditional_t<std::is_same_v<T, float>, E, Cast<E, T>>;
/// Row Buf<3> of the table Buf<2> [steps, C]: the time projection, computed once per schedule, of the step being run.
using TimeRow = Reshape<Gather<Buf<2>, Buf<3>, 0>, 1, 1, 1, -1>;
using Skip = Concat<-1, Buf<0>, Buf<1>>;

template <double Eps>
struct norm_silu : GroupNorm<32, Buf<0>, Silu<Out>, Store<0>, Eps> {};
template <double Eps>
struct norm_silu_skip : GroupNorm<32, Skip, Silu<Out>, Store<0>, Eps> {};
struct conv3x3 : Conv2D<Filter<3>, Buf<0>, Biased> {};
struct conv3x3_time : Conv2D<Filter<3>, Buf<0>, Add<Biased, TimeRow>> {};
struct conv3x3_residual : Conv2D<Filter<3>, Buf<0>, Add<Biased, Buf<2>>> {};
struct shortcut : Linear<Buf<0>, Biased> {};
struct shortcut_skip : Linear<Skip, Add<Out, Buf<2>>> {};

/// Time: true if the block takes a time embedding (the UNet's do). Eps: of its norms.
template <Storage T, bool Time, double Eps>
struct ResNet {
    Tensor<const T, 1> gamma1, beta1, gamma2, beta2, bias1, bias2, shortcut_bias;
    Packed<T, 4> conv1, conv2;
    Packed<T, 2> shortcut_weight;
    index_t in = 0, out = 0;

    ResNet() = default;
    template <class L>
    ResNet(const L& load, index_t channels_in, index_t channels_out)
        : gamma1(load.tensor("norm1.weight", channels_in)), beta1(load.tensor("norm1.bias", channels_in)),
          gamma2(load.tensor("norm2.weight", channels_out)), beta2(load.tensor("norm2.bias", channels_out)),
          bias1(load.tensor("conv1.bias", channels_out)), bias2(load.tensor("conv2.bias", channels_out)),
          conv1(load.conv("conv1.weight", channels_out, channels_in, 3, 3)),
          conv2(load.conv("conv2.weight", channels_out, channels_out, 3, 3)), in(channels_in), out(channels_out) {
        if (in != out) {
            shortcut_weight = load.linear("conv_shortcut.weight", out, in);
            shortcut_bias = load.tensor("conv_shortcut.bias", out);
        }
    }

    /// x [B, H, W, C], and `skip` where the block reads the concatenation of both; `time` [steps, out] and `step` [1].
    template <class Target>
    Temporary<T, 4> build(const Build<T, Target>& b, const Tensor<T, 4>& x, const Tensor<T, 4>* skip,
                          const Tensor<const T, 2>& time, const Tensor<const std::int32_t, 1>& step) const {
        const auto& e = x.extents;
        auto normed = b.temporary(e[0], e[1], e[2], in);
        if (skip) b.template add<norm_silu_skip<Eps>>("norm1", *normed, gamma1, beta1, x, *skip);
        else b.template add<norm_silu<Eps>>("norm1", *normed, gamma1, beta1, x);
        auto h = b.temporary(e[0], e[1], e[2], out);
        if constexpr (Time) b.template add<conv3x3_time>("conv1", *h, conv1, *normed, bias1, time, step);
        else b.template add<conv3x3>("conv1", *h, conv1, *normed, bias1);
        normed = b.like(*h);
        b.template add<norm_silu<Eps>>("norm2", *normed, gamma2, beta2, *h);
        h = Temporary<T, 4>();

        Temporary<T, 4> projected;
        if (in != out) {
            projected = b.temporary(e[0], e[1], e[2], out);
            const auto to = flat(*projected), from = flat(x);
            if (skip)
                b.template add<shortcut_skip>("conv_shortcut", to, shortcut_weight, from, flat(*skip), shortcut_bias);
            else b.template add<shortcut>("conv_shortcut", to, shortcut_weight, from, shortcut_bias);
        }
        auto y = b.temporary(e[0], e[1], e[2], out);
        b.template add<conv3x3_residual>("conv2", *y, conv2, *normed, bias2, in != out ? *projected : x);
        return y;
    }
};

}  // namespace inlay::inline INLAY_ABI::nn
