// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/memory.hpp, emulated.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

#include <emulator/machine.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

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
    std::memcpy(&x, emulator::shared(address, 4, 4, "ds_read"), 4);
    return x;
}
inline std::uint32_t load_shared_half(std::uint32_t address) {
    std::uint16_t x;
    std::memcpy(&x, emulator::shared(address, 2, 2, "ds_read"), 2);
    return x;
}
inline uint2 load_shared_half_chunk(std::uint32_t address) {
    uint2 x;
    std::memcpy(&x, emulator::shared(address, 8, 8, "ds_read"), 8);
    return x;
}
inline uint4 load_shared_chunk(std::uint32_t address) {
    uint4 x;
    std::memcpy(&x, emulator::shared(address, 16, 16, "ds_read"), 16);
    return x;
}
inline void store_shared(std::uint32_t address, std::uint16_t x) {
    std::memcpy(emulator::shared(address, 2, 2, "ds_write"), &x, 2);
}
inline void store_shared(std::uint32_t address, std::uint32_t x) {
    std::memcpy(emulator::shared(address, 4, 4, "ds_write"), &x, 4);
}
inline void store_shared(std::uint32_t address, float x) {
    std::memcpy(emulator::shared(address, 4, 4, "ds_write"), &x, 4);
}
inline void store_shared(std::uint32_t address, const uint4& x) {
    std::memcpy(emulator::shared(address, 16, 16, "ds_write"), &x, 16);
}

template <class T>
T load_global(const void* p) {
    static_assert(std::is_same_v<T, uint4> || std::is_same_v<T, std::uint32_t>);
    emulator::check_global(p, sizeof(T), sizeof(T), "global_load");
    T x;
    std::memcpy(&x, p, sizeof(T));
    return x;
}
inline uint4 load_streamed(const void* p) {
    emulator::check_global(p, 16, 16, "global_load");
    return *static_cast<const uint4*>(p);
}
inline void prefetch_line(const void* p) { emulator::check_prefetch(p); }
inline void forget(int&) {}
inline void store_global(void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    emulator::check_global(p, 16, 16, "global_store");
    *static_cast<uint4*>(p) = {x, y, z, w};
}
inline void store_global(bool there, void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    if (there) store_global(p, x, y, z, w);
}
inline void store_global(void* p, std::uint32_t x, std::uint32_t y) {
    emulator::check_global(p, 8, 8, "global_store");
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
    emulator::check_global(word, 4, 4, "global_atomic_add");
    emulator::give_way(x == 0);
    const std::uint32_t before = *word;
    *word += x;
    if (x != 0) emulator::progress();
    return before;
}
inline std::uint32_t count_wrapping(std::uint32_t* counter, std::uint32_t limit) {
    emulator::check_global(counter, 4, 4, "global_atomic_inc");
    emulator::give_way(false);
    const std::uint32_t before = *counter;
    *counter = before >= limit ? 0 : before + 1;
    emulator::progress();
    return before;
}
inline void store_relaxed(std::uint64_t* word, std::uint64_t bits) {
    emulator::check_global(word, 8, 8, "store_relaxed");
    emulator::give_way(false);
    *word = bits;
    emulator::progress();
}
inline std::uint64_t load_relaxed(const std::uint64_t* word) {
    emulator::check_global(word, 8, 8, "load_relaxed");
    emulator::give_way(true);
    return *word;
}
inline std::uint32_t load_relaxed(const std::uint32_t* word) {
    emulator::check_global(word, 4, 4, "load_relaxed");
    emulator::give_way(true);
    return *word;
}

[[noreturn]] inline void stop_kernel() { emulator::fail("a kernel stopped itself"); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
