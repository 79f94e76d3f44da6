// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/wgmma.hpp, emulated.
#pragma once

#include <inlay/core/half.hpp>

#include <emulator/hopper.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

inline std::uint64_t matrix_descriptor(std::uint32_t address, std::uint32_t stride = 1024) {
    return static_cast<std::uint64_t>((address & 0x3ffffu) >> 4) | std::uint64_t(1) << 16 |
           static_cast<std::uint64_t>(stride >> 4) << 32 | std::uint64_t(1) << 62;
}
inline std::uint64_t rows_descriptor(std::uint32_t address, std::uint32_t columns) {
    return static_cast<std::uint64_t>((address & 0x3ffffu) >> 4) | static_cast<std::uint64_t>(columns >> 4) << 16 |
           std::uint64_t(1024 >> 4) << 32 | std::uint64_t(1) << 62;
}
inline void products_begin() { emulator::products_begin(); }
inline void products_commit() { emulator::products_commit(); }
template <int N>
void products_wait() {
    emulator::products_wait(N);
}
template <int N>
void products_keep(float (&)[N]) {}
template <int N>
void products_forget(float (&)[N]) {}

inline void loads_keep() {}
inline void descriptor_keep(std::uint32_t&) {}

template <int N, class T>
struct product {
    static_assert(N % 8 == 0 && N <= 256);
    static void run(float (&c)[N / 2], std::uint64_t a, std::uint64_t b, bool add) {
        emulator::product(std::is_same_v<T, bf16>, N, c, nullptr, a, b, false, add);
    }
    static void run(float (&c)[N / 2], const std::uint32_t (&a)[4], std::uint64_t b, bool add) {
        emulator::product(std::is_same_v<T, bf16>, N, c, a, 0, b, false, add);
    }
    static void run_rows(float (&c)[N / 2], std::uint64_t a, std::uint64_t b, bool add) {
        emulator::product(std::is_same_v<T, bf16>, N, c, nullptr, a, b, true, add);
    }
    static void run_rows(float (&c)[N / 2], const std::uint32_t (&a)[4], std::uint64_t b, bool add) {
        emulator::product(std::is_same_v<T, bf16>, N, c, a, 0, b, true, add);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
