// SPDX-License-Identifier: Apache-2.0
/// Placements of an upsampled image: in memory, or read by the convolution where each pixel lies.
#pragma once

#include <inlay/nn/upsample.hpp>

namespace inlay_bench::placed {

using namespace inlay;

template <bool Apart>
struct upsampled_conv {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto c = dim<3>;
        constexpr auto larger = upsample2x(input<0, dim<0>, dim<1>, dim<2>, c>);
        if constexpr (Apart) return conv<"upsamplers.0.conv", c, c, 3>(materialize(larger));
        else return conv<"upsamplers.0.conv", c, c, 3>(fuse(larger));
    }
};
template <bool Apart>
using upsample_plan = planner::plan<upsampled_conv<Apart>, planner::on_sm90a<2>, planner::Shape<2, 32, 32, 640>>;

}  // namespace inlay_bench::placed
