// SPDX-License-Identifier: Apache-2.0
/// The device's memory: each allocation ends at a page that is not there, begins as NaN, and is known by its extent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulator {

inline constexpr std::size_t device_bytes = std::size_t(8) << 30;

/// Null where there is no room. Aligned to 256 bytes.
void* allocate(std::size_t bytes);
/// False for what was not allocated.
bool release(void* p);
std::size_t allocated_bytes();

/// Whether all of it lies in one allocation.
bool is_allocated(const void* p, std::size_t bytes);
/// "0x7f12 (8 bytes behind an allocation of 64)".
std::string describe(const void* p);

}  // namespace emulator
