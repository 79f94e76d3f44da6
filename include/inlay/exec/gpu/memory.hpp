// SPDX-License-Identifier: Apache-2.0
/// A block of a GPU's memory, and copies of the host's data to it.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/tile/gpu/runtime/event.hpp>
#include <inlay/tile/gpu/runtime/memory.hpp>

#include <cstddef>
#include <cstring>

namespace inlay::inline INLAY_ABI {

/// Uninitialised, aligned for an arena, on the device that is current when it is made.
using DeviceMemory = on_gpu::Allocation;

/// Copies from the host that do not wait for the device: through pinned pieces used in rotation. 16 MB of pinned
/// memory, from the first copy on.
class Uploads {
public:
    explicit Uploads(int device) : slots_{Slot(device), Slot(device), Slot(device), Slot(device)} {}

    /// `from` may be reused when this returns.
    void copy(on_gpu::Stream stream, void* to, const void* from, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += piece) {
            const std::size_t n = smaller(piece, bytes - at);
            Slot& slot = slots_[next_++ % count];
            if (!slot.data) slot.data = on_gpu::api::allocate_pinned(piece);
            slot.taken.wait();
            std::memcpy(slot.data, static_cast<const char*>(from) + at, n);
            on_gpu::api::copy_to_device(static_cast<char*>(to) + at, slot.data, n, stream);
            slot.taken.record(stream);
        }
    }

private:
    static constexpr std::size_t piece = 4 << 20, count = 4;
    struct Slot {
        void* data = nullptr;
        on_gpu::Event taken;
        explicit Slot(int device) : taken(device) {}
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;
        ~Slot() {
            if (!data) return;
            on_gpu::api::end_wait(taken.get());
            on_gpu::api::end_pinned(data);
        }
    };
    Slot slots_[count];
    std::size_t next_ = 0;
};

}  // namespace inlay::inline INLAY_ABI
