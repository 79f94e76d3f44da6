// SPDX-License-Identifier: Apache-2.0
#include "generate_on_host.hpp"

std::filesystem::path generate_f32(const Options& options) { return generate_on_host<float>(options); }
std::string explain_f32(const Options& options) { return explain_on_host<float>(options); }
