// SPDX-License-Identifier: Apache-2.0
#include "generate_on_cuda.hpp"

std::filesystem::path generate_f32_cuda(const Options& options) { return generate_on_cuda<float>(options); }
