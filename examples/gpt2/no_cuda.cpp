// SPDX-License-Identifier: Apache-2.0
/// A build without CUDA has this in the place of the .cu files.
#include "executors.hpp"

namespace {
std::string fault(int) { return "this build of inlay-gpt2 has no CUDA executor"; }
}  // namespace

GpuExecutors cuda_executors() {
    GpuExecutors none{};
    none.device = "cuda";
    none.fault = fault;
    return none;
}
