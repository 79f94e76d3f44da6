// SPDX-License-Identifier: Apache-2.0
#include "on_gpu.hpp"

std::unique_ptr<Texts> open_f16_cuda(const Options& o, int capacity) { return open_on_gpu<inlay::fp16>(o, capacity); }
