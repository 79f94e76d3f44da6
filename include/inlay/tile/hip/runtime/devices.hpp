// SPDX-License-Identifier: Apache-2.0
/// The devices that can be used, and one sentence for those that cannot.
#pragma once

#include <inlay/tile/gpu/runtime/on_device.hpp>

#include <cstddef>
#include <cstdlib>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Number of devices visible to this process. Throws if there is none.
inline int device_count() {
    int n = 0;
    const hipError_t code = hipGetDeviceCount(&n);
    if (code == hipErrorNoDevice || (code == hipSuccess && n == 0)) {
        forget_error();
        for (const char* variable : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"})
            if (const char* visible = std::getenv(variable))
                fail("no HIP device: " + Text(variable) + "='" + visible + "' leaves none");
        fail("no HIP device: this machine has no AMD GPU, or this user may not open /dev/kfd");
    }
    check(code, "hipGetDeviceCount");
    return n;
}

template <class>
__global__ void code_probe() {}

/// A device that exists, whose architecture has schedules, and that this binary has code for. Throws otherwise.
inline Device usable_device(int index) {
    const int n = device_count();
    require(index >= 0 && index < n, "there is no HIP device ", index, ": devices count from 0, and there ",
            n == 1 ? "is 1" : "are " + decimal_text(n));
    const Device d = Device::of(index);
    const Text name(d.architecture);
    require(d.is("gfx90a") || d.is("gfx942") || d.is("gfx1100"), "HIP device ", index, " is ", name,
            ", for which there are no schedules: expected gfx90a, gfx942 or gfx1100");
    const OnDevice here(index);
    hipFuncAttributes a;
    const hipError_t code = hipFuncGetAttributes(&a, reinterpret_cast<const void*>(code_probe<void>));
    if (code == hipErrorNoBinaryForGpu || code == hipErrorInvalidDeviceFunction || code == hipErrorInvalidImage) {
        forget_error();
        fail("this binary has no code for HIP device " + decimal_text(index) + " (" + name +
             "); build it with --offload-arch=" + name);
    }
    check(code, "hipFuncGetAttributes");
    return d;
}

/// "AMD Instinct MI300X".
inline Text name_of(const Device& d) {
    hipDeviceProp_t p;
    check(hipGetDeviceProperties(&p, d.index), "hipGetDeviceProperties");
    return p.name;
}

/// Bytes of a device's memory that all processes use.
struct MemoryUse {
    std::size_t used = 0, total = 0;
};
inline MemoryUse memory_use(const Device& d) {
    const OnDevice here(d.index);
    const api::MemorySize s = api::memory_size();
    return {s.total - s.free, s.total};
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
