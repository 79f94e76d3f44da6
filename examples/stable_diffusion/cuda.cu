// SPDX-License-Identifier: Apache-2.0
#include "../program/fault_of_gpu.hpp"
#include "executors.hpp"

#include <inlay/tile/cuda/runtime/devices.hpp>

namespace {

using namespace inlay::on_gpu;

std::string fault(int device) {
    return fault_of_gpu([=] { usable_device(device); });
}
std::string name(int device) {
    const Device d = usable_device(device);
    return name_of(d) + " (sm_" + std::to_string(10 * d.major + d.minor) + "), " +
           (engine(d) == Engine::sm90a ? "wgmma and mma.sync, from sm_90a code"
                                       : "mma.sync (portable), no sm_90a code in this binary");
}
std::string target(int device) {
    const Device d = usable_device(device);
    return d.major < 9 ? "sm_80" : engine(d) == Engine::sm90a ? "sm_90a" : "sm_90";
}

}  // namespace

GpuExecutors cuda_executors() {
    return {.device = "cuda",
            .built = true,
            .fault = fault,
            .name = name,
            .target = target,
            .generate_f32 = generate_f32_cuda,
            .generate_f16 = generate_f16_cuda,
            .generate_bf16 = generate_bf16_cuda,
            .decode_f32 = decode_f32_cuda};
}
