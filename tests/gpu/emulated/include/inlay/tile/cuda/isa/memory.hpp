// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/memory.hpp, emulated.
#pragma once

#include <inlay/core/config.hpp>

#include <emulator/machine.hpp>

#include <cstdint>
#include <cstring>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class Arguments>
const Arguments& in_place(const Arguments& arguments) {
    return arguments;
}
template <class Arguments>
const Arguments& again(const Arguments& arguments) {
    return arguments;
}

inline std::uint32_t load_shared(std::uint32_t address) {
    std::uint32_t x;
    std::memcpy(&x, emulator::shared(address, 4, 4, "ld.shared"), 4);
    return x;
}
inline void store_shared(std::uint32_t address, std::uint16_t x) {
    std::memcpy(emulator::shared(address, 2, 2, "st.shared"), &x, 2);
}
inline void store_shared(std::uint32_t address, std::uint32_t x) {
    std::memcpy(emulator::shared(address, 4, 4, "st.shared"), &x, 4);
}
inline void store_shared(std::uint32_t address, float x) {
    std::memcpy(emulator::shared(address, 4, 4, "st.shared"), &x, 4);
}
inline void store_shared(std::uint32_t address, const uint4& x) {
    std::memcpy(emulator::shared(address, 16, 16, "st.shared"), &x, 16);
}

inline uint4 load_streamed(const void* p) {
    emulator::check_constant(p, 16, 16, "ld.global");
    return *static_cast<const uint4*>(p);
}
inline uint4 load_now(const void* p, bool some) {
    if (!some) return {};
    emulator::check_global(p, 16, 16, "ld.global");
    return *static_cast<const uint4*>(p);
}
inline void prefetch_line(const void* p) { emulator::check_prefetch(p); }
inline void prefetch_span(const void* p, int bytes) {
    if (bytes <= 0) return;
    emulator::check_prefetch(p);
    emulator::check_prefetch(static_cast<const char*>(p) + bytes - 1);
}
inline void forget(int&) {}
template <class T>
void keep_address(const T*&) {}
inline void store_global(void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    emulator::check_global(p, 16, 16, "st.global");
    *static_cast<uint4*>(p) = {x, y, z, w};
}
inline void store_global(bool there, void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    if (there) store_global(p, x, y, z, w);
}
inline void store_global(void* p, std::uint32_t x, std::uint32_t y) {
    emulator::check_global(p, 8, 8, "st.global");
    *static_cast<uint2*>(p) = {x, y};
}
inline void store_global(bool there, void* p, std::uint32_t x, std::uint32_t y) {
    if (there) store_global(p, x, y);
}

template <class T>
T load_l2(const T* p) {
    emulator::check_global(p, sizeof(T), alignof(T), "load_l2");
    return *p;
}
template <class T>
void store_l2(T* p, const T& x) {
    emulator::check_global(p, sizeof(T), alignof(T), "store_l2");
    *p = x;
}

inline void fence_device() {}
inline void complete_writes() {}
inline std::uint32_t add_atomically(std::uint32_t* word, std::uint32_t x) {
    emulator::check_global(word, 4, 4, "atom.add");
    emulator::give_way(x == 0);
    const std::uint32_t before = *word;
    *word += x;
    if (x != 0) emulator::progress();
    return before;
}
inline std::uint32_t count_wrapping(std::uint32_t* counter, std::uint32_t limit) {
    emulator::check_global(counter, 4, 4, "atom.inc");
    emulator::give_way(false);
    const std::uint32_t before = *counter;
    *counter = before >= limit ? 0 : before + 1;
    emulator::progress();
    return before;
}
inline void store_relaxed(std::uint64_t* word, std::uint64_t bits) {
    emulator::check_global(word, 8, 8, "st.relaxed");
    emulator::give_way(false);
    *word = bits;
    emulator::progress();
}
inline std::uint64_t load_relaxed(const std::uint64_t* word) {
    emulator::check_global(word, 8, 8, "ld.relaxed");
    emulator::give_way(true);
    return *word;
}
inline std::uint32_t load_relaxed(const std::uint32_t* word) {
    emulator::check_global(word, 4, 4, "ld.relaxed");
    emulator::give_way(true);
    return *word;
}

[[noreturn]] inline void stop_kernel() { emulator::fail("a kernel stopped itself"); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
