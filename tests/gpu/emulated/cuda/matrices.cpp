// SPDX-License-Identifier: Apache-2.0
#include <emulator/machine.hpp>
#include <emulator/matrices.hpp>

#include <inlay/core/half.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace emulator {
namespace {

/// A lane's part of `ldmatrix`.
struct Rows {
    std::uint32_t address;
    std::uint32_t* r;
    int count;
    bool transposed;
};
void load_rows(Rows* const* lanes, Lanes) {
    const int count = lanes[0]->count;
    std::uint16_t m[4][8][8];
    for (int i = 0; i < 8 * count; ++i)
        std::memcpy(m[i / 8][i % 8], shared(lanes[i]->address, 16, 16, "ldmatrix"), 16);
    for (int lane = 0; lane < 32; ++lane)
        for (int j = 0; j < count; ++j) {
            const int a = lane / 4, b = lane % 4 * 2;
            const bool t = lanes[0]->transposed;
            const std::uint32_t low = t ? m[j][b][a] : m[j][a][b], high = t ? m[j][b + 1][a] : m[j][a][b + 1];
            lanes[lane]->r[j] = low | high << 16;
        }
}

/// A lane's registers of a product.
struct Fragments {
    Element type;
    int k;
    float* c;
    const std::uint32_t *a, *b;
};
/// Registers of A go along rows g and g + 8, then along k; those of B along k.
void multiply(Fragments* const* lanes, Lanes) {
    const Element type = lanes[0]->type;
    const int k = lanes[0]->k, each = type == Element::tf32 ? 1 : 2, registers = k / (4 * each);
    float a[16][16], b[16][8], c[16][8];
    for (int lane = 0; lane < 32; ++lane) {
        const Fragments& f = *lanes[lane];
        const int g = lane / 4, t = lane % 4;
        for (int i = 0; i < registers; ++i) {
            const int at = i * 4 * each + t * each;
            float pair[2];
            unpack(type, f.a[2 * i], &a[g][at]);
            unpack(type, f.a[2 * i + 1], &a[g + 8][at]);
            unpack(type, f.b[i], pair);
            for (int j = 0; j < each; ++j) b[at + j][g] = pair[j];
        }
        for (int i = 0; i < 4; ++i) c[g + i / 2 * 8][2 * t + i % 2] = f.c[i];
    }
    multiply_add(&c[0][0], a, &b[0][0], 8, k);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) lanes[lane]->c[i] = c[lane / 4 + i / 2 * 8][2 * (lane % 4) + i % 2];
}

float cut(double x) {
    const float f = static_cast<float>(x);
    if (!(std::fabs(static_cast<double>(f)) > std::fabs(x))) return f;
    return std::isinf(f) && std::isinf(x) ? f : std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) - 1);
}

const std::vector<float>& values_of_halves() {
    static const std::vector<float> all = [] {
        std::vector<float> v;
        for (std::uint32_t i = 0; i < 65536; ++i)
            v.push_back(static_cast<float>(inlay::fp16::from_bits(static_cast<std::uint16_t>(i))));
        return v;
    }();
    return all;
}

}  // namespace

void unpack(Element type, std::uint32_t r, float* to) {
    if (type == Element::tf32) to[0] = std::bit_cast<float>(r & ~0x1fffu);
    else if (type == Element::bf16)
        to[0] = std::bit_cast<float>(r << 16), to[1] = std::bit_cast<float>(r & 0xffff0000u);
    else {
        static const float* const values = values_of_halves().data();
        to[0] = values[r & 0xffffu], to[1] = values[r >> 16];
    }
}

void multiply_add(float* c, const float (&a)[16][16], const float* b, int n, int k) {
    const auto rows = [&](auto columns) {
        for (int row = 0; row < 16; ++row) {
            double sum[256];
            for (int j = 0; j < columns; ++j) sum[j] = c[row * columns + j];
            for (int i = 0; i < k; ++i)
                for (int j = 0; j < columns; ++j)
                    sum[j] += static_cast<double>(a[row][i]) * static_cast<double>(b[i * columns + j]);
            for (int j = 0; j < columns; ++j) c[row * columns + j] = cut(sum[j]);
        }
    };
    if (n == 8) rows(std::integral_constant<int, 8>());
    else rows(n);
}

void load_matrices(std::uint32_t* r, std::uint32_t row, int count, bool transposed) {
    Rows mine{row, r, count, transposed};
    meet<Rows, load_rows>(transposed ? (count == 4 ? "ldmatrix.x4.trans" : "ldmatrix.x2.trans")
                                     : (count == 4 ? "ldmatrix.x4" : "ldmatrix.x2"),
                          whole_warp, mine);
}
void mma(Element type, int k, float* c, const std::uint32_t* a, const std::uint32_t* b) {
    Fragments mine{type, k, c, a, b};
    meet<Fragments, multiply>(type == Element::tf32 ? "mma.m16n8k8.tf32"
                              : k == 16             ? "mma.m16n8k16"
                                                    : "mma.m16n8k8",
                              whole_warp, mine);
}

}  // namespace emulator
