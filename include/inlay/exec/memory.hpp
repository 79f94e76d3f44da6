// SPDX-License-Identifier: Apache-2.0
/// A block of host memory, aligned for an arena, uninitialised.
#pragma once

#include <inlay/exec/arena.hpp>

#include <cstddef>
#include <new>
#include <utility>

namespace inlay::inline INLAY_ABI {

class HostMemory {
public:
    HostMemory() = default;
    explicit HostMemory(std::size_t bytes) : size_(bytes) {
        data_ = ::operator new(bytes, std::align_val_t(Arena::alignment), std::nothrow);
        require(data_ != nullptr, "out of memory: ", bytes, " bytes were asked for");
    }
    HostMemory(HostMemory&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    HostMemory& operator=(HostMemory&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    ~HostMemory() { ::operator delete(data_, std::align_val_t(Arena::alignment)); }

    void* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace inlay::inline INLAY_ABI
