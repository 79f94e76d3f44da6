// SPDX-License-Identifier: Apache-2.0
/// A build without CUDA has this in the place of the .cu files.
#include "executors.hpp"

GpuExecutors cuda_executors() { return {.gpus = {.device = "cuda", .executor = "CUDA"}}; }
