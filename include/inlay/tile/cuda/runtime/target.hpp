// SPDX-License-Identifier: Apache-2.0
/// A device and the code that this binary has for it, as decisions take a target.
#pragma once

#include <inlay/plan/device.hpp>
#include <inlay/tile/cuda/runtime/image.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline TargetInfo target_of(const Device& d) {
    TargetInfo t = has_sm90a(d) ? sm90a_target : d.major >= 9 ? sm90_target : sm80_target;
    t.units = d.multiprocessors;
    t.shared_bytes = d.shared_bytes;
    return t;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
