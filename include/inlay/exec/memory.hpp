// SPDX-License-Identifier: Apache-2.0
/// Host memory, and the operations of a target beside its kernels, for targets that compute in host memory.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/exec/host_event.hpp>
#include <inlay/exec/workspace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace inlay::inline INLAY_ABI {

/// A block, aligned for an arena, uninitialised.
class HostMemory {
public:
    HostMemory() = default;
    explicit HostMemory(std::size_t bytes) : size_(bytes) {
        // Rounded up to the alignment, more would wrap to a few bytes.
        if (bytes <= PTRDIFF_MAX) data_ = ::operator new(bytes, std::align_val_t(Arena::alignment), std::nothrow);
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

/// The names are those of a target with memory of its own: `upload` copies from the caller's memory, `download` to it,
/// `copy` within the target's. All are done when they return, and nothing has to be loaded.
class HostTransfers {
public:
    using Memory = HostMemory;
    using Mark = HostEvent;

    Memory allocate(std::size_t bytes) { return Memory(bytes); }
    void upload(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
    void download(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
    void copy(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    void zero(void* to, std::size_t bytes) {
        if (bytes > 0) std::memset(to, 0, bytes);
    }
    void synchronize() {}
    template <class Runs>
    void load(const Runs&) {}
    /// Scratch memory is the target's own here.
    template <class Runs>
    std::size_t workspace_bytes(const Runs&) {
        return 0;
    }
    const Workspace& lend(const Workspace& w) { return w; }
};

}  // namespace inlay::inline INLAY_ABI
