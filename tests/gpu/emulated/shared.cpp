// SPDX-License-Identifier: Apache-2.0
#include "shared.hpp"
#include "block.hpp"

#include <inlay/core/config.hpp>

#include <algorithm>
#include <cstring>
#include <sstream>

#include <link.h>

namespace emulator {

/// The dynamic shared memory of the block that the host thread runs, and a margin.
extern "C" alignas(4096) thread_local unsigned char emulator_dynamic_shared[SharedMemory::most + SharedMemory::granule];
alignas(4096) thread_local unsigned char emulator_dynamic_shared[SharedMemory::most + SharedMemory::granule];

}  // namespace emulator

// The names under which kernels declare it. A kernel that is not here does not link.
#define EMULATOR_DYNAMIC_SHARED(name) \
    extern thread_local unsigned char name[] __attribute__((alias("emulator_dynamic_shared")));
namespace inlay::inline INLAY_ABI::on_gpu {
EMULATOR_DYNAMIC_SHARED(shared_16)
EMULATOR_DYNAMIC_SHARED(shared_256)
EMULATOR_DYNAMIC_SHARED(shared_1024)
EMULATOR_DYNAMIC_SHARED(group_norm_memory)
namespace detail {
EMULATOR_DYNAMIC_SHARED(row_memory)
}
}  // namespace inlay::inline INLAY_ABI::on_gpu
namespace emulator_test {
EMULATOR_DYNAMIC_SHARED(memory)
}

namespace emulator {

SharedMemory::SharedMemory() : dynamic_(reinterpret_cast<char*>(emulator_dynamic_shared)), seen_(most) {
    struct Found {
        char* begin;
        std::size_t bytes;
    } found{nullptr, 0};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            for (int i = 0; i < info->dlpi_phnum; ++i)
                if (info->dlpi_phdr[i].p_type == PT_TLS)
                    *static_cast<Found*>(to) = {static_cast<char*>(info->dlpi_tls_data), info->dlpi_phdr[i].p_memsz};
            return 1;  // the first is the program itself
        },
        &found);
    begin_ = found.begin;
    bytes_ = found.bytes;
}

void SharedMemory::begin(std::size_t dynamic_bytes) {
    dynamic_bytes_ = dynamic_bytes;
    Block* const block = running_block;  // lies among them
    char* const behind = dynamic_ + sizeof emulator_dynamic_shared;
    std::memset(begin_, 0xff, static_cast<std::size_t>(dynamic_ - begin_));
    std::memset(dynamic_, 0xff, dynamic_bytes + granule);
    std::memset(behind, 0xff, static_cast<std::size_t>(begin_ + bytes_ - behind));
    running_block = block;
    fence_for_engines();
}
bool SharedMemory::engines_see(std::uint32_t address, std::size_t bytes) const {
    const std::size_t at = std::size_t(address) - first;
    return at >= dynamic_bytes_ || std::memcmp(seen_.data() + at, dynamic_ + at, bytes) == 0;
}
void SharedMemory::write_by_engine(std::uint32_t address, const void* data, std::size_t bytes) {
    const std::size_t in_dynamic = std::size_t(address) - first;
    char* const places[] = {at(address, bytes), in_dynamic < dynamic_bytes_ ? seen_.data() + in_dynamic : nullptr};
    for (char* const p : places) {
        if (!p) continue;
        if (data) std::memcpy(p, data, bytes);
        else std::memset(p, 0xff, bytes);
    }
}
std::string SharedMemory::damage() const {
    const char* const end = dynamic_ + dynamic_bytes_;
    const char* const bad = std::find_if(end, end + granule, [](char c) { return c != static_cast<char>(0xff); });
    if (bad == end + granule) return "";
    std::ostringstream s;
    s << "a thread wrote byte " << bad - dynamic_ << " of dynamic shared memory, of which there are " << dynamic_bytes_;
    return s.str();
}
std::uint32_t SharedMemory::address(const void* p) const {
    const char* const c = static_cast<const char*>(p);
    if (c >= dynamic_ && c < dynamic_ + sizeof emulator_dynamic_shared)
        return first + static_cast<std::uint32_t>(c - dynamic_);
    if (c >= begin_ && c < begin_ + bytes_) return first_variable + static_cast<std::uint32_t>(c - begin_);
    return 0;
}
std::string SharedMemory::describe(std::uint32_t address) const {
    const std::size_t in_dynamic = std::size_t(address) - first;
    if (in_dynamic >= most + granule)
        return address >= first_variable ? "a variable in shared memory" : "an address outside of shared memory";
    std::ostringstream s;
    s << "byte " << in_dynamic << " of dynamic shared memory, of which there are " << dynamic_bytes_;
    return s.str();
}

}  // namespace emulator
