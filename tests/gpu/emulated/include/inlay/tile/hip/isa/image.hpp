// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/image.hpp, emulated.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

enum class Images {
    all,
    cdna,
    rdna,
};
template <Images I>
constexpr bool in_image() {
#if defined(__gfx942__)
    return I != Images::rdna;
#else
    return I != Images::cdna;
#endif
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
