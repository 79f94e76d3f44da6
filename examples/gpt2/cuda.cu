// SPDX-License-Identifier: Apache-2.0
#include "../program/cuda_gpus.hpp"
#include "executors.hpp"

GpuExecutors cuda_executors() {
    return {.gpus = program::cuda_gpus(),
            .open_f32 = open_f32_cuda,
            .open_f16 = open_f16_cuda,
            .open_bf16 = open_bf16_cuda};
}
