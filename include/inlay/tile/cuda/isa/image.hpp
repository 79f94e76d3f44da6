// SPDX-License-Identifier: Apache-2.0
/// Images of a binary: the device code for one architecture each, of which the driver loads the one that fits best.
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The images that carry a kernel: others need not compile it.
enum class Images {
    all,
    without_sm90a,
    with_sm90a,
};
/// True while an image is compiled that is among them.
template <Images I>
__device__ constexpr bool in_image() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    return I != Images::without_sm90a;
#else
    return I != Images::with_sm90a;
#endif
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
