// SPDX-License-Identifier: Apache-2.0
/// The calling thread's current device.
#pragma once

#include <inlay/tile/gpu/runtime.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Makes a device the calling thread's current one for a scope.
class OnDevice {
public:
    explicit OnDevice(int index) : before_(api::current_device()), changed_(before_ != index) {
        if (changed_) api::make_current(index);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() {
        if (changed_) api::end_current(before_);
    }

private:
    int before_;
    bool changed_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
