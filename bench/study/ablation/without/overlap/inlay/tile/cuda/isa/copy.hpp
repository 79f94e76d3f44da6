// SPDX-License-Identifier: Apache-2.0
/// The library's copies, but that none is under way while a block computes: copies between the products of a k-block
/// begin behind them, all at once, and whoever closes a group waits for it. The ring of stages stays, and is never more
/// than one stage ahead of use.
#pragma once

#define CopySlot SlotOfNothing
#define copy_async_where copy_async_where_now
#define land land_nothing
#define copy_commit close_copies
#include_next <inlay/tile/cuda/isa/copy.hpp>
#undef CopySlot
#undef copy_async_where
#undef land
#undef copy_commit

namespace inlay::inline INLAY_ABI::on_gpu {

/// A copy that has not begun.
struct CopySlot {
    const void* from;
    std::uint32_t to;
    int size;
    bool on;
};
__device__ INLAY_INLINE void copy_async_where(CopySlot& slot, bool on, std::uint32_t to, const void* from, int size) {
    slot = {from, to, size, on};
}
/// Begins it.
__device__ INLAY_INLINE void land(const CopySlot& slot) {
    SlotOfNothing nothing;
    copy_async_where_now(nothing, slot.on, slot.to, slot.from, slot.size);
}
__device__ INLAY_INLINE void copy_commit() {
    close_copies();
    copy_wait<0>();
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
