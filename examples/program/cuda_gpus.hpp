// SPDX-License-Identifier: Apache-2.0
/// NVIDIA's GPUs for a program. Code of the unit that includes this decides their names: it has sm_90a code or not.
#pragma once

#include "gpus.hpp"

#include <inlay/tile/cuda/runtime/devices.hpp>

#include <string>

namespace program {

inline std::string cuda_target(int device) {
    using namespace inlay::on_gpu;
    const Device d = usable_device(device);
    return d.major < 9 ? "sm_80" : engine(d) == Engine::sm90a ? "sm_90a" : "sm_90";
}

inline std::string cuda_name(int device) {
    using namespace inlay::on_gpu;
    const Device d = usable_device(device);
    return name_of(d) + " (sm_" + std::to_string(10 * d.major + d.minor) + "), " +
           (engine(d) == Engine::sm90a ? "wgmma and mma.sync, from sm_90a code"
                                       : "mma.sync (portable), no sm_90a code in this binary");
}

inline Gpus cuda_gpus() {
    return {.device = "cuda",
            .executor = "CUDA",
            .built = true,
            .count = [] { return inlay::on_gpu::device_count(); },
            .fault = [](int device) { return fault_of([=] { inlay::on_gpu::usable_device(device); }); },
            .name = cuda_name,
            .target = cuda_target};
}

}  // namespace program
