// SPDX-License-Identifier: Apache-2.0
#include "generate_on_host.hpp"

std::filesystem::path generate_f16(const Options& options) { return generate_on_host<inlay::fp16>(options); }
std::string explain_f16(const Options& options) { return explain_on_host<inlay::fp16>(options); }
