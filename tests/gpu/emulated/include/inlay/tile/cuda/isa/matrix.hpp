// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/matrix.hpp, emulated.
#pragma once

#include <inlay/core/dtype.hpp>

#include <emulator/matrices.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

inline void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) { emulator::load_matrices(r, row, 4, false); }
inline void load_matrices(std::uint32_t (&r)[2], std::uint32_t row) { emulator::load_matrices(r, row, 2, false); }
inline void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row) {
    emulator::load_matrices(r, row, 4, true);
}
inline void load_matrices_transposed(std::uint32_t (&r)[2], std::uint32_t row) {
    emulator::load_matrices(r, row, 2, true);
}

template <class T>
inline constexpr emulator::Element emulated_element =
    std::is_same_v<T, fp16> ? emulator::Element::half : emulator::Element::bf16;

template <class T>
void mma_m16n8k16(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    emulator::mma(emulated_element<T>, 16, c, a, b);
}
template <class T>
void mma_m16n8k8(float (&c)[4], const std::uint32_t* a, std::uint32_t b) {
    emulator::mma(emulated_element<T>, 8, c, a, &b);
}
inline void mma_m16n8k8_tf32(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    emulator::mma(emulator::Element::tf32, 8, c, a, b);
}

inline void raise_priority() {}
inline void lower_priority() {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
