// SPDX-License-Identifier: Apache-2.0
/// The interface of the translation units of each storage type and target to the program.
#pragma once

#include "options.hpp"

#include <vector>

/// Writes the pictures; returns the path of the first.
using Generate = std::filesystem::path(const Options&);
Generate generate_f32, generate_f16, generate_bf16;
Generate generate_f32_cuda, generate_f16_cuda, generate_bf16_cuda;

/// The pictures of latents by the decoder alone, in fp32: [batch, height, width, 3] from [batch, h, w, C].
using Decode = std::vector<float>(const Options&, const std::vector<float>& latents);
Decode decode_f32, decode_f32_cuda;

/// Every kernel of a step, from shapes alone: no weights are read.
using Explain = std::string(const Options&);
Explain explain_f32, explain_f16, explain_bf16;

/// Why a GPU cannot be used, in one sentence; empty when it can.
std::string cuda_fault(int device);
/// A usable GPU and the engine this binary has for it: "NVIDIA H100 80GB HBM3 (sm_90), wgmma and
/// mma.sync, from sm_90a code".
std::string cuda_name(int device);
/// Its name in `explain`: "sm_90a".
std::string cuda_target(int device);
