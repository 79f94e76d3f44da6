// SPDX-License-Identifier: Apache-2.0
/// The interface of the translation units of each storage type and target to the program.
#pragma once

#include "../program/gpus.hpp"
#include "options.hpp"

#include <inlay/exec/host/paths.hpp>

#include <cstddef>
#include <functional>
#include <vector>

/// Writes the pictures; returns the path of the first.
using Generate = std::filesystem::path(const Options&);
Generate generate_f32_cuda, generate_f16_cuda, generate_bf16_cuda;
Generate generate_f32_hip, generate_f16_hip, generate_bf16_hip;

/// The pictures of latents by the decoder alone, in fp32: [images, height, width, 3] from [images, h, w, C].
using Decode = std::vector<float>(const Options&, int images, const std::vector<float>& latents);
Decode decode_f32_cuda, decode_f32_hip;

/// Every kernel of a step, from shapes alone: no weights are read.
using Explain = std::string(const Options&);

/// Executor of the CPU, of which a portable program has one for each path (docs/host.md).
struct HostExecutor {
    const char* isa;                        ///< its instruction set, as `explain` names it
    Generate *generate_f32, *generate_f16, *generate_bf16;
    Decode* decode_f32;
    Explain *explain_f32, *explain_f16, *explain_bf16;
};
INLAY_HOST_PATHS(HostExecutor, host_executor)

/// Enqueues on a stream: `bytes` at `mine` go to the other rank of the pair, and as many of its come to `others`.
using Exchange = std::function<void(void* stream, const void* mine, void* others, std::size_t bytes)>;
/// Connects the GPUs of ranks 2k and 2k + 1; all ranks call it.
using Connect = Exchange(const Ranks&, int gpu);
/// By NCCL; null in a build without it.
Connect* nccl();

/// Executor of a vendor's GPUs, as far as this build has it.
struct GpuExecutors {
    program::Gpus gpus;
    Generate *generate_f32 = nullptr, *generate_f16 = nullptr, *generate_bf16 = nullptr;
    Decode* decode_f32 = nullptr;
    Connect* connect = nullptr;  ///< none: its GPUs cannot split guidance
};
/// Functions, since clang as HIP makes constants of host code device variables as well.
GpuExecutors cuda_executors();
GpuExecutors hip_executors();
