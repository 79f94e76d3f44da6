// SPDX-License-Identifier: Apache-2.0
/// A device as decisions take a target, by the binary image that the driver loaded for it. Host code cannot distinguish
/// sm_90 from sm_90a by macros (`__CUDA_ARCH_LIST__` is 900 for both), but the driver reports the launch bounds of a
/// kernel in the image it loaded, which differ.
#pragma once

#include <inlay/plan/device.hpp>
#include <inlay/tile/cuda/isa/image.hpp>
#include <inlay/tile/cuda/runtime/api.hpp>
#include <inlay/tile/cuda/runtime/device.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define INLAY_PROBE_THREADS 64
#else
#define INLAY_PROBE_THREADS 32
#endif

template <class>
__global__ void __launch_bounds__(INLAY_PROBE_THREADS) engine_probe() {}

#undef INLAY_PROBE_THREADS

enum class Engine {
    mma_sync,  ///< sm_80 and newer
    sm90a,     ///< the image has code for sm_90a
};

/// The engine of the image that the driver chose for a device. Throws if there is none.
inline Engine engine(const Device& device) {
    const int before = api::current_device();
    if (before != device.index) api::make_current(device.index);
    cudaFuncAttributes a;
    const cudaError_t code = cudaFuncGetAttributes(&a, engine_probe<void>);
    if (before != device.index) api::end_current(before);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
        code == cudaErrorUnsupportedPtxVersion) {
        cudaGetLastError();
        fail("this binary has no code for CUDA device " + decimal_text(device.index) + " (sm_" +
             decimal_text(10 * device.major + device.minor) +
             "); build it for that architecture, or for sm_80 with PTX");
    }
    check(code, "cudaFuncGetAttributes");
    return a.maxThreadsPerBlock == 64 ? Engine::sm90a : Engine::mma_sync;
}

/// True if the image that runs on a device has kernels of sm_90a.
inline bool has_sm90a(const Device& device) {
    if (device.major != 9) return false;
    static const bool has = engine(device) == Engine::sm90a;   // of all devices alike: they load the same image
    return has;
}

inline TargetInfo target_of(const Device& d) {
    TargetInfo t = has_sm90a(d) ? sm90a_target : d.major >= 9 ? sm90_target : sm80_target;
    t.units = d.multiprocessors;
    t.shared_bytes = d.shared_bytes;
    return t;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
