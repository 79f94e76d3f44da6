// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/copy.hpp, emulated. A copy reads when it lands, as late as the hardware may; a slot that
/// is loaded again before that, or never lands, is an error.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

#include <emulator/machine.hpp>

#include <cstdint>
#include <cstring>

namespace inlay::inline INLAY_ABI::on_gpu {

inline std::uint32_t shared_address(const void* p) { return emulator::shared_offset(p); }

struct CopySlot {
    enum class State { never_loaded, off, under_way, landed };
    mutable State state = State::never_loaded;
    std::uint32_t to = 0;
    const void* from = nullptr;
    int size = 0;
};

namespace detail {

/// Of `bytes` bytes in shared memory, the first `size` are read and the rest become zeros.
inline void copy_now(std::uint32_t to, const void* from, int bytes, int size) {
    const auto whole = static_cast<std::size_t>(bytes), some = static_cast<std::size_t>(size);
    char* const place = static_cast<char*>(emulator::shared(to, whole, whole, "a copy"));
    if (size > 0) std::memcpy(place, from, some);
    std::memset(place + some, 0, whole - some);
}
inline void check_copy(const void* from, int bytes, int size) {
    if (size < 0 || size > bytes) emulator::fail("a copy of ", bytes, " bytes reads ", size);
    if (size > 0) emulator::check_global(from, static_cast<std::size_t>(size), static_cast<std::size_t>(bytes), "a copy");
}

}  // namespace detail

template <int Bytes>
void copy_async_part(std::uint32_t to, const void* from, int size) {
    static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4);
    detail::check_copy(from, Bytes, size);
    detail::copy_now(to, from, Bytes, size);
}
inline void copy_async_where(CopySlot& slot, bool on, std::uint32_t to, const void* from, int size) {
    if (slot.state == CopySlot::State::under_way) emulator::fail("a copy slot is loaded again before it has landed");
    slot = {on ? CopySlot::State::under_way : CopySlot::State::off, to, from, size};
    if (!on) return;
    detail::check_copy(from, 16, size);
    emulator::slot_begins();
}
inline void land(const CopySlot& slot) {
    if (slot.state == CopySlot::State::never_loaded) emulator::fail("a copy slot lands that was never loaded");
    if (slot.state == CopySlot::State::landed) emulator::fail("a copy slot lands twice");
    if (slot.state == CopySlot::State::off) return;
    detail::copy_now(slot.to, slot.from, 16, slot.size);
    slot.state = CopySlot::State::landed;
    emulator::slot_lands();
}
inline void copy_commit() {}
template <int N>
void copy_wait() {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
