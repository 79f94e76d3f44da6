// SPDX-License-Identifier: Apache-2.0
/// Facts of core/ that hold at compile time.
#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>

using namespace inlay;

static_assert(Storage<fp16> && Storage<const float> && !Storage<long>);
static_assert(sizeof(fp16) == bytes(DType::f16) && sizeof(bf16) == bytes(DType::bf16));
static_assert(count(Extents{2, 64, 64, 320}) == 2 * 64 * 64 * 320);
static_assert(row_major(Extents{2, 3, 4}) == Extents{12, 4, 1});
static_assert(unravel(17, Extents{2, 3, 4}) == Extents{1, 1, 1});
