// SPDX-License-Identifier: Apache-2.0
/// The devices that can be used, and one sentence for those that cannot.
#pragma once

#include <inlay/tile/cuda/runtime/target.hpp>
#include <inlay/tile/gpu/runtime/on_device.hpp>

#include <cstddef>
#include <cstdlib>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Number of devices visible to this process. Throws if there is none, or no driver that this binary can use.
inline int device_count() {
    int n = 0;
    const cudaError_t code = cudaGetDeviceCount(&n);
    if (code == cudaErrorInsufficientDriver) {
        int driver = 0, runtime = 0;
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        const auto version = [](int v) { return decimal_text(v / 1000) + "." + decimal_text(v % 1000 / 10); };
        if (driver == 0) fail("no CUDA device: there is no NVIDIA driver on this machine");
        fail("the NVIDIA driver is too old: it runs CUDA " + version(driver) + ", this binary needs " +
             version(runtime));
    }
    if (code == cudaErrorNoDevice || (code == cudaSuccess && n == 0)) {
        const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
        fail(visible ? "no CUDA device: CUDA_VISIBLE_DEVICES='" + Text(visible) + "' leaves none"
                     : "no CUDA device");
    }
    check(code, "cudaGetDeviceCount");
    return n;
}

/// A device that exists and that this binary has code for. Throws otherwise.
inline Device usable_device(int index) {
    const int n = device_count();
    require(index >= 0 && index < n, "there is no CUDA device ", index, ": devices count from 0, and there ",
            n == 1 ? "is 1" : "are " + decimal_text(n));
    const Device d = Device::of(index);
    require(d.major >= 8, "CUDA device ", index, " is sm_", 10 * d.major + d.minor, ", expected sm_80 or newer");
    engine(d);
    return d;
}

/// "NVIDIA H100 80GB HBM3".
inline Text name_of(const Device& d) {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, d.index), "cudaGetDeviceProperties");
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
