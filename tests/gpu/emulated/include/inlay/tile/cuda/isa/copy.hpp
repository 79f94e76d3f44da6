// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/copy.hpp, emulated.
#pragma once

#include <inlay/core/config.hpp>

#include <emulator/machine.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

inline std::uint32_t shared_address(const void* p) { return emulator::shared_offset(p); }

template <int Bytes>
void copy_async_part(std::uint32_t to, const void* from, int size) {
    static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4);
    emulator::copy_in_background(to, from, Bytes, size);
}
struct CopySlot {};
inline void copy_async_where(CopySlot&, bool on, std::uint32_t to, const void* from, int size) {
    if (on) emulator::copy_in_background(to, from, 16, size);
}
inline void land(const CopySlot&) {}
inline void copy_commit() { emulator::close_group(); }
template <int N>
void copy_wait() {
    emulator::wait_for_groups(N);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
