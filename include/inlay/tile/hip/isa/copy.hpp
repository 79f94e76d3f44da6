// SPDX-License-Identifier: Apache-2.0
/// Copies from global to shared memory, with zero fill. No instruction of gfx90a, gfx942 and gfx1100 brings 16 bytes
/// there at once, so that they pass through registers: what a pipeline has under way is in `CopySlot`s, which it lands
/// once it has multiplied what came before.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>
#include <inlay/tile/hip/isa/memory.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A pointer into shared memory as the 32-bit address that instructions take.
__device__ INLAY_INLINE std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>((const detail::Shared<char>*)p));
}

/// 16 bytes on their way to `to`, where `on`.
struct CopySlot {
    uint4 bytes;
    std::uint32_t to;
    bool on;
};

namespace detail {
/// A word of which only the first `size` bytes stay; below 1: none.
__device__ INLAY_INLINE std::uint32_t first_bytes(std::uint32_t word, int size) {
    return size >= 4 ? word : size <= 0 ? 0u : word & ((1u << 8 * size) - 1u);
}
}  // namespace detail

/// Loads 16 bytes into a slot, where `on`, of which the first `size` are read and the rest become zeros. Of an even
/// address, so that all 16 lie in memory if one does.
__device__ INLAY_INLINE void copy_async_where(CopySlot& slot, bool on, std::uint32_t to, const void* from, int size) {
    slot.to = to, slot.on = on, slot.bytes = uint4{};
    if (on && size > 0) {
        slot.bytes = load_global<uint4>(from);
        if (size < 16) {
            slot.bytes.x = detail::first_bytes(slot.bytes.x, size);
            slot.bytes.y = detail::first_bytes(slot.bytes.y, size - 4);
            slot.bytes.z = detail::first_bytes(slot.bytes.z, size - 8);
            slot.bytes.w = detail::first_bytes(slot.bytes.w, size - 12);
        }
    }
}
/// Stores what a slot has brought.
__device__ INLAY_INLINE void land(const CopySlot& slot) {
    if (slot.on) store_shared(slot.to, slot.bytes);
}

/// Copies Bytes (16, 8 or 4; both sides aligned to as many) at once, of which only the first `size` are read and the
/// rest become zeros.
template <int Bytes>
__device__ INLAY_INLINE void copy_async_part(std::uint32_t to, const void* from, int size) {
    static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4);
    if constexpr (Bytes == 16) {
        CopySlot slot;
        copy_async_where(slot, true, to, from, size);
        land(slot);
    } else {
        for (int i = 0; i < Bytes; i += 4) {
            const auto* const word = static_cast<const char*>(from) + i;
            store_shared(to + i, size > i ? detail::first_bytes(load_global<std::uint32_t>(word), size - i) : 0u);
        }
    }
}
/// Nothing is left under way.
__device__ INLAY_INLINE void copy_commit() {}
template <int N>
__device__ INLAY_INLINE void copy_wait() {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
