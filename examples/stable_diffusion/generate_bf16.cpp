// SPDX-License-Identifier: Apache-2.0
#include "generate_on_host.hpp"

std::filesystem::path generate_bf16(const Options& options) { return generate_on_host<inlay::bf16>(options); }
std::string explain_bf16(const Options& options) { return explain_on_host<inlay::bf16>(options); }
