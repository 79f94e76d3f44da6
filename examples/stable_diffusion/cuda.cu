// SPDX-License-Identifier: Apache-2.0
#include "../program/cuda_gpus.hpp"
#include "executors.hpp"

GpuExecutors cuda_executors() {
    return {.gpus = program::cuda_gpus(),
            .generate_f32 = generate_f32_cuda,
            .generate_f16 = generate_f16_cuda,
            .generate_bf16 = generate_bf16_cuda,
            .decode_f32 = decode_f32_cuda,
            .connect = nccl()};
}
