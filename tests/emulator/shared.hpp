// SPDX-License-Identifier: Apache-2.0
/// The shared memory of a block: the thread-local variables of the host thread that runs it.
///
/// `__shared__` is `thread_local`, so a variable of a kernel's is static in this memory, and an `extern` array is the
/// memory that a launch asks for, once its name is in the list of shared.cpp.
#pragma once

#include <cstddef>
#include <string>

namespace emulator {

class SharedMemory {
public:
    static constexpr std::size_t most = 227 << 10, granule = 4096;

    /// Of the calling host thread.
    SharedMemory();
    /// For a block with this much dynamic memory: all is NaN.
    void begin(std::size_t dynamic_bytes);
    /// What the block has done to the memory behind its own; empty if nothing.
    std::string damage() const;

    bool holds(const void* p) const { return p >= begin_ && p < begin_ + bytes_; }
    std::size_t offset(const void* p) const { return static_cast<std::size_t>(static_cast<const char*>(p) - begin_); }
    char* at(std::size_t offset) const { return begin_ + offset; }
    /// Whether a block may access these bytes.
    bool inside(std::size_t offset, std::size_t bytes) const {
        const std::size_t in_dynamic = offset - this->offset(dynamic_);
        if (in_dynamic < most + granule) return in_dynamic + bytes <= dynamic_bytes_;
        return offset < bytes_ && offset + bytes <= bytes_;
    }
    /// A sentence's end about a place.
    std::string describe(std::size_t offset) const;

private:
    char *begin_, *dynamic_;
    std::size_t bytes_, dynamic_bytes_ = 0;
};

}  // namespace emulator
