// SPDX-License-Identifier: Apache-2.0
#include "on_host.hpp"

std::unique_ptr<Texts> open_f32(const Options& o, int capacity) { return open_on_host<float>(o, capacity); }
std::string explain_f32(const Options& o) { return explain_on_host<float>(o); }

INLAY_HOST_PATH(host_executor){.isa = inlay::host_isa,
                               .open_f32 = open_f32,
                               .open_f16 = open_f16,
                               .open_bf16 = open_bf16,
                               .explain_f32 = explain_f32,
                               .explain_f16 = explain_f16,
                               .explain_bf16 = explain_bf16};
