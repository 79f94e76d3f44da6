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

// Every form: those left out would be the sanitizers' own, and theirs do not come here.
namespace {
constexpr std::size_t plain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
void* counted_or_null(std::size_t n, std::size_t alignment) noexcept {
    ++count;
    return std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment);
}
}  // namespace

void* operator new(std::size_t n) { return counted(n, plain); }
void* operator new[](std::size_t n) { return counted(n, plain); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted_or_null(n, plain); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return counted_or_null(n, plain); }
void* operator new(std::size_t n, std::align_val_t a) { return counted(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return counted(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted_or_null(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted_or_null(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
