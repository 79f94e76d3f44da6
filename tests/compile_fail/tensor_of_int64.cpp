// SPDX-License-Identifier: Apache-2.0
// expect: inlay: tensors store float, fp16, bf16, fp8, std::int32_t or, for the oracle, double
#include <inlay/inlay.hpp>

using namespace inlay;

#include <cstdint>

auto wrong(std::int64_t* ids) { return tensor(ids, 4); }
