// SPDX-License-Identifier: Apache-2.0
/// A build without HIP has this in the place of the .hip files.
#include "executors.hpp"

namespace {
std::string fault(int) { return "this build of inlay-sd has no HIP executor"; }
}  // namespace

GpuExecutors hip_executors() {
    GpuExecutors none{};
    none.device = "hip";
    none.fault = fault;
    return none;
}
