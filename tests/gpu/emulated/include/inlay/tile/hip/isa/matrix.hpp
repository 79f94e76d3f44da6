// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/matrix.hpp, emulated.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/tile/hip/isa/language.hpp>

#include <emulator/products.hpp>

#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class T>
inline constexpr emulator::Element emulated_element =
    std::is_same_v<T, fp16> ? emulator::Element::half : emulator::Element::bf16;

template <class T>
void mfma_16x16x16(float (&c)[4], const std::uint32_t (&a)[2], const std::uint32_t (&b)[2]) {
    emulator::mfma(emulated_element<T>, 16, 16, c, a, b);
}
template <class T>
void mfma_32x32x8(float (&c)[16], const std::uint32_t (&a)[2], const std::uint32_t (&b)[2]) {
    emulator::mfma(emulated_element<T>, 32, 8, c, a, b);
}
inline void mfma_16x16x4(float (&c)[4], float a, float b) {
    emulator::mfma(emulator::Element::single, 16, 4, c, &a, &b);
}
template <class T>
void wmma_16x16x16(float (&c)[8], const std::uint32_t (&a)[8], const std::uint32_t (&b)[8]) {
    emulator::wmma(emulated_element<T>, c, a, b);
}
template <int J>
void fma_row_share(float& c, float a, float b) {
    static_assert(J >= 0 && J < 16);
    c = emulator::fma_row_share(J, c, a, b);
}
inline void raise_priority() {}
inline void lower_priority() {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
