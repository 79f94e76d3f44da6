// SPDX-License-Identifier: Apache-2.0
#include "generate_on_gpu.hpp"

std::filesystem::path generate_f16_cuda(const Options& options) { return generate_on_gpu<inlay::fp16>(options); }
