// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/ptx/matrix.hpp, emulated: `ldmatrix` and `mma.sync` as the PTX ISA lays their fragments out. The
/// products of an atom and C are added exactly, as far as a double is exact, and the sum is cut to fp32 towards 0, as
/// tensor cores cut it.
#pragma once

#include <inlay/core/dtype.hpp>

#include <emulator/machine.hpp>

#include <bit>
#include <cmath>
#include <cstring>

namespace inlay::inline INLAY_ABI::cuda {

namespace emulated {

/// A lane's part of `ldmatrix`.
struct Rows {
    std::uint32_t address;
    std::uint32_t* r;
};
template <int Matrices, bool Transposed>
void load_rows_of_matrices(Rows* const* lanes, unsigned) {
    std::uint16_t m[Matrices][8][8];
    for (int i = 0; i < 8 * Matrices; ++i)
        std::memcpy(m[i / 8][i % 8], emulator::shared(lanes[i]->address, 16, 16, "ldmatrix"), 16);
    for (int lane = 0; lane < 32; ++lane)
        for (int j = 0; j < Matrices; ++j) {
            const int a = lane / 4, b = lane % 4 * 2;
            const std::uint32_t low = Transposed ? m[j][b][a] : m[j][a][b], high = Transposed ? m[j][b + 1][a] : m[j][a][b + 1];
            lanes[lane]->r[j] = low | high << 16;
        }
}
template <int Matrices, bool Transposed>
void load(std::uint32_t (&r)[Matrices], std::uint32_t row) {
    Rows mine{row, r};
    emulator::meet<Rows, load_rows_of_matrices<Matrices, Transposed>>(Transposed ? "ldmatrix.trans" : "ldmatrix", ~0u, mine);
}

inline float cut(double x) {
    const float f = static_cast<float>(x);
    if (!(std::fabs(static_cast<double>(f)) > std::fabs(x))) return f;
    return std::isinf(f) && std::isinf(x) ? f : std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) - 1);
}

/// A lane's registers of a product.
struct Fragments {
    float* c;
    const std::uint32_t *a, *b;
};
struct Tf32 {};
/// Elements of a register, of which the first has k as given.
template <class T>
void unpack(std::uint32_t r, float* to) {
    if constexpr (std::is_same_v<T, Tf32>) to[0] = std::bit_cast<float>(r & ~0x1fffu);
    else
        for (int i = 0; i < 2; ++i) to[i] = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(r >> 16 * i)));
}
/// m16n8k of T: registers of A go along rows g, g + 8, then k; those of B along k.
template <class T, int K>
void multiply(Fragments* const* lanes, unsigned) {
    constexpr int each = std::is_same_v<T, Tf32> ? 1 : 2, step = 4 * each, registers = K / step;
    float a[16][K], b[8][K];
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < registers; ++i) {
            const int g = lane / 4, k = i * step + lane % 4 * each;
            unpack<T>(lanes[lane]->a[2 * i], &a[g][k]);
            unpack<T>(lanes[lane]->a[2 * i + 1], &a[g + 8][k]);
            unpack<T>(lanes[lane]->b[i], &b[g][k]);
        }
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
            const float *const x = a[lane / 4 + i / 2 * 8], *const y = b[lane % 4 * 2 + i % 2];
            double sum = lanes[lane]->c[i];
            for (int k = 0; k < K; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(y[k]);
            lanes[lane]->c[i] = cut(sum);
        }
}
template <class T, int K>
void mma(const char* what, float* c, const std::uint32_t* a, const std::uint32_t* b) {
    Fragments mine{c, a, b};
    emulator::meet<Fragments, multiply<T, K>>(what, ~0u, mine);
}

}  // namespace emulated

inline void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) { emulated::load<4, false>(r, row); }
inline void load_matrices(std::uint32_t (&r)[2], std::uint32_t row) { emulated::load<2, false>(r, row); }
inline void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row) { emulated::load<4, true>(r, row); }
inline void load_matrices_transposed(std::uint32_t (&r)[2], std::uint32_t row) { emulated::load<2, true>(r, row); }

template <class T>
void mma_m16n8k16(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    emulated::mma<T, 16>("mma.m16n8k16", c, a, b);
}
template <class T>
void mma_m16n8k8(float (&c)[4], const std::uint32_t* a, std::uint32_t b) {
    emulated::mma<T, 8>("mma.m16n8k8", c, a, &b);
}
inline void mma_m16n8k8_tf32(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    emulated::mma<emulated::Tf32, 8>("mma.m16n8k8.tf32", c, a, b);
}

}  // namespace inlay::inline INLAY_ABI::cuda
