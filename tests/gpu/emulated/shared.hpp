// SPDX-License-Identifier: Apache-2.0
/// The shared memory of a block: the thread-local variables of the host thread that runs it.
///
/// `__shared__` is `thread_local`, so a variable of a kernel's is static in this memory, and an `extern` array is the
/// memory that a launch requests, once its name is in the list of shared.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace emulator {

class SharedMemory {
public:
    static constexpr std::size_t most = 227 << 10, granule = 4096;

    /// Of the calling host thread.
    SharedMemory();
    /// For a block with this much dynamic memory: all is NaN.
    void begin(std::size_t dynamic_bytes);
    /// The fault of the block in the memory behind its own; empty if none.
    std::string damage() const;

    /// Addresses: the dynamic memory from `first` on, variables from `first_variable` on. 0 is none.
    static constexpr std::uint32_t first = granule, first_variable = 1u << 20;
    /// 0 for what is not in shared memory.
    std::uint32_t address(const void* p) const;
    /// Null for what a block may not access.
    char* at(std::uint32_t address, std::size_t bytes) const {
        const std::size_t in_dynamic = std::size_t(address) - first, variable = std::size_t(address) - first_variable;
        if (in_dynamic < most + granule) return in_dynamic + bytes <= dynamic_bytes_ ? dynamic_ + in_dynamic : nullptr;
        return variable < bytes_ && variable + bytes <= bytes_ ? begin_ + variable : nullptr;
    }
    /// The copy engine and the matrix unit read what they wrote themselves, and what a thread wrote once it has fenced.
    /// Writers are not recorded: a fence counts for all writes until then.
    void fence_for_engines() { std::memcpy(seen_.data(), dynamic_, dynamic_bytes_); }
    bool engines_see(std::uint32_t address, std::size_t bytes) const;
    /// Writes of an engine, NaN where there is no `data`.
    void write_by_engine(std::uint32_t address, const void* data, std::size_t bytes);
    /// "byte 64 of dynamic shared memory, of which there are 64".
    std::string describe(std::uint32_t address) const;

private:
    char *begin_, *dynamic_;
    std::size_t bytes_, dynamic_bytes_ = 0;
    std::vector<char> seen_;  // of the dynamic memory: what engines read there
};

}  // namespace emulator
