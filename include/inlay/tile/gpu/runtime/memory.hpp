// SPDX-License-Identifier: Apache-2.0
/// Device memory, on the calling thread's current device.
#pragma once

#include <inlay/tile/gpu/runtime.hpp>

#include <cstddef>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Uninitialised. Throws an error with the bytes requested and available.
inline void* allocate(std::size_t bytes) {
    void* const memory = api::allocate(bytes);
    if (!memory && bytes > 0) {
        const api::MemorySize s = api::memory_size();
        fail("out of memory: " + decimal_text(bytes >> 20) + " MB were asked for on " + api::vendor + " device " +
             decimal_text(api::current_device()) + ", which has " + decimal_text(s.free >> 20) + " of " +
             decimal_text(s.total >> 20) + " MB free");
    }
    return memory;
}

/// The same, freed with its owner.
class Allocation {
public:
    Allocation() = default;
    explicit Allocation(std::size_t bytes) : data_(allocate(bytes)), size_(bytes) {}
    Allocation(Allocation&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    Allocation& operator=(Allocation&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    ~Allocation() { api::end_memory(data_); }

    void* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
