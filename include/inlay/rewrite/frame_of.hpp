// SPDX-License-Identifier: Apache-2.0
/// The frame that a kernel's struct derives from, with its holes, for a rule to take apart.
#pragma once

#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>

namespace inlay::inline INLAY_ABI::rules {

namespace detail {

template <class W, class In, class E, class S, class Schedule>
Conv2D<W, In, E, S, Schedule> base(const Conv2D<W, In, E, S, Schedule>*);
template <class In, class E, class S, class Schedule>
Linear<In, E, S, Schedule> base(const Linear<In, E, S, Schedule>*);
template <class In, class E, class S, double Eps, class Schedule>
LayerNorm<In, E, S, Eps, Schedule> base(const LayerNorm<In, E, S, Eps, Schedule>*);
template <int Groups, class In, class E, class S, double Eps, class Schedule>
GroupNorm<Groups, In, E, S, Eps, Schedule> base(const GroupNorm<Groups, In, E, S, Eps, Schedule>*);

}  // namespace detail

template <class K>
using frame_of = decltype(detail::base(static_cast<const K*>(nullptr)));

}  // namespace inlay::inline INLAY_ABI::rules
