// SPDX-License-Identifier: Apache-2.0
#include "../program/fault_of_gpu.hpp"
#include "executors.hpp"

#include <inlay/tile/cuda/runtime/devices.hpp>

namespace {

using namespace inlay::on_gpu;

std::string fault(int device) {
    return fault_of_gpu([=] { usable_device(device); });
}
std::string target(int device) {
    const Device d = usable_device(device);
    return d.major < 9 ? "sm_80" : engine(d) == Engine::sm90a ? "sm_90a" : "sm_90";
}
std::string name(int device) { return name_of(usable_device(device)) + ", " + target(device) + " code"; }

}  // namespace

GpuExecutors cuda_executors() {
    return {.device = "cuda",
            .built = true,
            .fault = fault,
            .name = name,
            .target = target,
            .open_f32 = open_f32_cuda,
            .open_f16 = open_f16_cuda,
            .open_bf16 = open_bf16_cuda};
}
