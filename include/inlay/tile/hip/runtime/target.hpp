// SPDX-License-Identifier: Apache-2.0
/// A device as decisions take a target.
#pragma once

#include <inlay/plan/device.hpp>
#include <inlay/tile/hip/runtime/device.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Throws where the plans have no data of its architecture.
inline TargetInfo target_of(const Device& d) {
    TargetInfo t = target_named(d.architecture);
    t.units = d.multiprocessors;
    t.shared_bytes = d.shared_bytes;
    t.warp = d.warp;
    return t;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
