// SPDX-License-Identifier: Apache-2.0
/// Kernels at the ends of networks, beside their planned layers.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::nn {

using Biased = Add<Out, Buf<1>>;
/// A value stored in fp32 as it is multiplied by weights of T: rounded to T.
template <class E, Storage T>
using Rounded = std::conditional_t<std::is_same_v<T, float>, E, Cast<E, T>>;

template <double Eps>
struct norm_silu : GroupNorm<32, Buf<0>, Silu<Out>, Store<0>, Eps> {};
struct conv3x3 : Conv2D<Filter<3>, Buf<0>, Biased> {};
struct final_norm : LayerNorm<> {};
struct linear_bias : Linear<Buf<0>, Biased> {};

}  // namespace inlay::inline INLAY_ABI::nn
