// SPDX-License-Identifier: Apache-2.0
/// The device of HIP's runtime.
#include <gpu/emulated/launch.hpp>

#include <hip/hip_runtime_api.h>

#include <cstring>

hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int device) {
    using F = emulator::DeviceFacts;
    if (device != 0) return hipErrorInvalidDevice;
    *p = {};
    std::strcpy(p->name, "emulator");
#if defined(__gfx942__)
    std::strcpy(p->gcnArchName, "gfx942:sramecc+:xnack-");
#else
    std::strcpy(p->gcnArchName, "gfx1100");
#endif
    p->multiProcessorCount = F::multiprocessors;
    p->warpSize = emulator::warp_lanes;
    p->l2CacheSize = F::l2_bytes;
    p->sharedMemPerBlock = F::shared_bytes;
    return hipSuccess;
}
