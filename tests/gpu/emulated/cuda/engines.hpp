// SPDX-License-Identifier: Apache-2.0
/// Shared by barriers, the copy engine and the matrix unit of sm_90.
#pragma once

#include <gpu/emulated/block.hpp>

#include <cuda.h>

#include <cstdint>
#include <functional>

namespace emulator {

/// A copy to a block's shared memory that begins, of which a barrier there counts the bytes. It may arrive at once.
void begin_copy(Block& to, std::uint32_t bar, std::uint32_t bytes, std::function<void()> happen);

/// The swizzled place of a byte that lies at an address without swizzle.
inline std::uint32_t swizzled(std::uint32_t address, int swizzle) {
    if (swizzle == CU_TENSOR_MAP_SWIZZLE_128B) return address ^ (address >> 7 & 7u) << 4;
    if (swizzle == CU_TENSOR_MAP_SWIZZLE_64B) return address ^ (address >> 7 & 3u) << 4;
    if (swizzle == CU_TENSOR_MAP_SWIZZLE_32B) return address ^ (address >> 7 & 1u) << 4;
    return address;
}

}  // namespace emulator
