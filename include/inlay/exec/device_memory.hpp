// SPDX-License-Identifier: Apache-2.0
/// A block of a GPU's memory, and how the host's data gets there.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/tile/cuda/event.hpp>
#include <inlay/tile/cuda/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace inlay::inline INLAY_ABI {

/// Uninitialised, aligned for an arena.
class DeviceMemory {
public:
    DeviceMemory() = default;
    /// On the calling thread's current device. Throws an error that says what was asked for and what there is.
    explicit DeviceMemory(std::size_t bytes) : data_(cuda::allocate(bytes)), size_(bytes) {}
    DeviceMemory(DeviceMemory&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    DeviceMemory& operator=(DeviceMemory&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    ~DeviceMemory() { cudaFree(data_); }

    void* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Copies from the host that do not wait for the device: through pinned pieces that take turns. 16 MB of pinned memory,
/// from the first copy on.
class Uploads {
public:
    explicit Uploads(int device) : slots_{Slot(device), Slot(device), Slot(device), Slot(device)} {}

    /// `from` may be reused when this returns.
    void copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += piece) {
            const std::size_t n = std::min(piece, bytes - at);
            Slot& slot = slots_[next_++ % count];
            if (!slot.data) cuda::check(cudaMallocHost(&slot.data, piece), "cudaMallocHost");
            slot.taken.wait();
            std::memcpy(slot.data, static_cast<const char*>(from) + at, n);
            cuda::check(cudaMemcpyAsync(static_cast<char*>(to) + at, slot.data, n, cudaMemcpyHostToDevice, stream),
                        "cudaMemcpyAsync");
            slot.taken.record(stream);
        }
    }

private:
    static constexpr std::size_t piece = 4 << 20, count = 4;
    struct Slot {
        void* data = nullptr;
        cuda::Event taken;
        explicit Slot(int device) : taken(device) {}
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;
        ~Slot() {
            if (!data) return;
            cudaEventSynchronize(taken.get());
            cudaFreeHost(data);
        }
    };
    Slot slots_[count];
    std::size_t next_ = 0;
};

}  // namespace inlay::inline INLAY_ABI
