// SPDX-License-Identifier: Apache-2.0
/// Images of a binary: the device code for one architecture each, of which the runtime loads the device's.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The images that carry a kernel: others need not compile it. `cdna`: gfx90a and gfx942; `rdna`: gfx1100.
enum class Images {
    all,
    cdna,
    rdna,
};
/// True while an image is compiled that is among them. In the pass for the host, which takes launches alone, no image
/// is.
template <Images I>
__device__ constexpr bool in_image() {
#if !defined(__HIP_DEVICE_COMPILE__)
    return false;
#elif INLAY_GFX9
    return I != Images::rdna;
#else
    return I != Images::cdna;
#endif
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
