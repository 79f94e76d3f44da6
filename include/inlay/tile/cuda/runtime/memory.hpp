// SPDX-License-Identifier: Apache-2.0
/// Device memory, on the calling thread's current device.
#pragma once

#include <inlay/tile/cuda/runtime/error.hpp>

#include <cstddef>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Uninitialised, for cudaFree. Throws an error with the bytes requested and available.
inline void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        std::size_t free = 0, total = 0;
        int device = 0;
        cudaGetDevice(&device);
        cudaMemGetInfo(&free, &total);
        fail("out of memory: " + decimal_text(bytes >> 20) + " MB were asked for on CUDA device " +
             decimal_text(device) + ", which has " + decimal_text(free >> 20) + " of " +
             decimal_text(total >> 20) + " MB free");
    }
    check(code, "cudaMalloc");
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
    ~Allocation() { cudaFree(data_); }

    void* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
