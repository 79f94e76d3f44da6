// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count = 0;

void* counted(std::size_t n, std::size_t alignment) {
    ++count;
    if (void* p = std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment)) return p;
    throw std::bad_alloc();
}

}  // namespace

namespace inlay_test {
std::size_t allocations() { return count.load(); }
}  // namespace inlay_test

// The array and nothrow forms come here as well.
void* operator new(std::size_t n) { return counted(n, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t n, std::align_val_t a) { return counted(n, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
