// SPDX-License-Identifier: Apache-2.0
/// The device's memory: each allocation ends near a page that is not there, begins as NaN, and is known by its extent.
/// All lie in one window of addresses, by which an access to it is recognised; no address is given out twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulator {

inline constexpr std::size_t device_bytes = std::size_t(8) << 30, window_bytes = std::size_t(1) << 40;
extern constinit std::uintptr_t window;  ///< its begin; ~0 before the first allocation
inline bool in_window(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) - window < window_bytes;
}

/// Null where there is no room. Aligned to 256 bytes.
void* allocate(std::size_t bytes);
/// False for what was not allocated.
bool release(void* p);
std::size_t allocated_bytes();

/// True if all of it lies in one allocation.
bool is_allocated(const void* p, std::size_t bytes);
/// "0x7f12 (8 bytes behind an allocation of 64)".
std::string describe(const void* p);

}  // namespace emulator
