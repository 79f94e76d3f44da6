// SPDX-License-Identifier: Apache-2.0
/// A build without CUDA has this in the place of the .cu files.
#include "executors.hpp"

namespace {
constexpr const char* fault = "this build of inlay-sd has no CUDA executor";
}

std::string cuda_fault(int) { return fault; }
std::string cuda_name(int) { throw std::runtime_error(fault); }
std::string cuda_target(int) { throw std::runtime_error(fault); }
std::vector<float> decode_f32_cuda(const Options&, const std::vector<float>&) { throw std::runtime_error(fault); }
std::filesystem::path generate_f32_cuda(const Options&) { throw std::runtime_error(fault); }
std::filesystem::path generate_f16_cuda(const Options&) { throw std::runtime_error(fault); }
std::filesystem::path generate_bf16_cuda(const Options&) { throw std::runtime_error(fault); }
