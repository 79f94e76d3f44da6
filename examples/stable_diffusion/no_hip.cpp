// SPDX-License-Identifier: Apache-2.0
/// A build without HIP has this in the place of the .hip files.
#include "executors.hpp"

GpuExecutors hip_executors() { return {.gpus = {.device = "hip", .executor = "HIP"}}; }
