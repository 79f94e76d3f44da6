// SPDX-License-Identifier: Apache-2.0
#include "../program/gpus.hpp"
#include "executors.hpp"

#include <inlay/tile/hip/runtime/devices.hpp>

namespace {

using namespace inlay::on_gpu;

std::string fault(int device) {
    return program::fault_of([=] { usable_device(device); });
}
std::string name(int device) {
    const Device d = usable_device(device);
    return name_of(d) + " (" + d.architecture + "), " + (d.warp == 64 ? "mfma" : "wmma");
}
std::string target(int device) { return usable_device(device).architecture; }

}  // namespace

GpuExecutors hip_executors() {
    return {.gpus = {.device = "hip",
                     .executor = "HIP",
                     .built = true,
                     .count = [] { return device_count(); },
                     .fault = fault,
                     .name = name,
                     .target = target},
            .generate_f32 = generate_f32_hip,
            .generate_f16 = generate_f16_hip,
            .generate_bf16 = generate_bf16_hip,
            .decode_f32 = decode_f32_hip};
}
