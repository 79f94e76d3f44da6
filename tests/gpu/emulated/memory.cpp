// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#include <sys/mman.h>

namespace emulator {
namespace {

constexpr std::size_t page = 4096, alignment = 256;

struct Allocation {
    std::size_t bytes;
    char* mapping;
    std::size_t mapped;
};
std::mutex mutex;
std::map<std::uintptr_t, Allocation> allocations;
std::size_t total = 0, given_out = 0;  // bytes that are allocated, and of the window
std::atomic<unsigned> version = 1;  // of the allocations

/// The last allocation that begins at or before an address.
auto before(std::uintptr_t at) {
    auto i = allocations.upper_bound(at);
    return i == allocations.begin() ? allocations.end() : --i;
}

std::size_t up(std::size_t x, std::size_t to) { return (x + to - 1) / to * to; }

/// Addresses of `bytes` bytes of the window, null where it has ended.
char* take(std::size_t bytes) {
    if (window == ~std::uintptr_t(0)) {
        void* const m = mmap(nullptr, window_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (m == MAP_FAILED) return nullptr;
        window = reinterpret_cast<std::uintptr_t>(m);
    }
    if (bytes > window_bytes - given_out) return nullptr;
    return reinterpret_cast<char*>(window) + std::exchange(given_out, given_out + bytes);
}

}  // namespace

constinit std::uintptr_t window = ~std::uintptr_t(0);

void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    if (bytes > device_bytes - total) return nullptr;
    const std::size_t room = up(bytes ? bytes : 1, alignment), mapped = up(room, page) + 2 * page;
    char* const mapping = take(mapped);
    if (!mapping || mprotect(mapping + page, mapped - 2 * page, PROT_READ | PROT_WRITE) != 0) return nullptr;
    std::memset(mapping + page, 0xff, mapped - 2 * page);
    char* const p = mapping + mapped - page - room;
    allocations[reinterpret_cast<std::uintptr_t>(p)] = {bytes, mapping, mapped};
    total += bytes;
    ++version;
    return p;
}
bool release(void* p) {
    const std::lock_guard lock(mutex);
    const auto i = allocations.find(reinterpret_cast<std::uintptr_t>(p));
    if (i == allocations.end()) return false;
    mmap(i->second.mapping, i->second.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
    total -= i->second.bytes;
    allocations.erase(i);
    ++version;
    return true;
}
std::size_t allocated_bytes() {
    const std::lock_guard lock(mutex);
    return total;
}

bool is_allocated(const void* p, std::size_t bytes) {
    struct Found {
        std::uintptr_t first = 0, last = 0;
        unsigned version = 0;
    };
    static thread_local std::array<Found, 16> of_page;  // the last one of pages that are as many apart
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    Found& found = of_page[at / page % of_page.size()];
    if (found.version != version.load(std::memory_order_acquire) || at < found.first || at >= found.last) {
        const std::lock_guard lock(mutex);
        const auto i = before(at);
        if (i == allocations.end()) return false;
        found = {i->first, i->first + i->second.bytes, version.load()};
    }
    return at + bytes <= found.last;
}
std::string describe(const void* p) {
    const std::lock_guard lock(mutex);
    std::ostringstream s;
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    s << p;
    const auto i = before(at), next = allocations.upper_bound(at);
    if (i != allocations.end() && at < i->first + i->second.bytes) {
        s << " (byte " << at - i->first << " of an allocation of " << i->second.bytes << ")";
        return s.str();
    }
    constexpr std::size_t near = std::size_t(1) << 24;
    const std::size_t behind = i == allocations.end() ? near : at - i->first - i->second.bytes,
                      ahead = next == allocations.end() ? near : next->first - at;
    if (behind < near && behind <= ahead)
        s << " (" << behind << " bytes behind an allocation of " << i->second.bytes << ")";
    else if (ahead < near) s << " (" << ahead << " bytes before an allocation of " << next->second.bytes << ")";
    else s << " (near no allocation)";
    return s.str();
}

}  // namespace emulator
