// SPDX-License-Identifier: Apache-2.0
#include "on_host.hpp"

std::unique_ptr<Texts> open_f16(const Options& o, int capacity) { return open_on_host<inlay::fp16>(o, capacity); }
std::string explain_f16(const Options& o) { return explain_on_host<inlay::fp16>(o); }
