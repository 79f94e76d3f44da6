// SPDX-License-Identifier: Apache-2.0
#include <emulator/products.hpp>

#include <inlay/core/half.hpp>

#include <cmath>
#include <cstring>

namespace emulator {
namespace {

/// Element i of a lane's registers.
double element(Element type, const void* registers, int i) {
    if (type == Element::single) {
        float x;
        std::memcpy(&x, static_cast<const char*>(registers) + 4 * i, 4);
        return static_cast<double>(x);
    }
    std::uint16_t bits;
    std::memcpy(&bits, static_cast<const char*>(registers) + 2 * i, 2);
    return static_cast<double>(type == Element::half ? static_cast<float>(inlay::fp16::from_bits(bits))
                                                     : static_cast<float>(inlay::bf16::from_bits(bits)));
}

/// A lane's registers of a product.
struct Fragments {
    Element type;
    int m, k;
    float* c;
    const void *a, *b;
};
struct Matrices {
    double a[32][16], b[16][32], c[32][32];

    void multiply_add(int m, int k) {
        for (int row = 0; row < m; ++row)
            for (int i = 0; i < k; ++i)
                for (int column = 0; column < m; ++column) c[row][column] += a[row][i] * b[i][column];
    }
};

/// Lane l has row or column l % m, and along the sum the elements from the (l / m)-th group on. Its C is in column
/// l % m, in groups of four rows, of which the lanes of a column take turns.
void multiply_mfma(Fragments* const* lanes, Lanes) {
    const auto [type, m, k, c_, a_, b_] = *lanes[0];
    const int across = 64 / m, each = k / across, registers = m * m / 64;
    const auto row_of_c = [&, m = m](int lane, int i) { return i / 4 * (4 * across) + lane / m * 4 + i % 4; };
    Matrices x;
    for (int lane = 0; lane < 64; ++lane) {
        for (int i = 0; i < each; ++i) {
            x.a[lane % m][lane / m * each + i] = element(type, lanes[lane]->a, i);
            x.b[lane / m * each + i][lane % m] = element(type, lanes[lane]->b, i);
        }
        for (int i = 0; i < registers; ++i)
            x.c[row_of_c(lane, i)][lane % m] = static_cast<double>(lanes[lane]->c[i]);
    }
    x.multiply_add(m, k);
    for (int lane = 0; lane < 64; ++lane)
        for (int i = 0; i < registers; ++i)
            lanes[lane]->c[i] = static_cast<float>(x.c[row_of_c(lane, i)][lane % m]);
}

/// Lane l has all of row or column l % 16. Its C is in column l % 16: lanes 0 to 15 have the even rows.
void multiply_wmma(Fragments* const* lanes, Lanes) {
    const Element type = lanes[0]->type;
    Matrices x;
    for (int lane = 0; lane < 32; ++lane) {
        for (const auto operand : {&Fragments::a, &Fragments::b})
            if (std::memcmp(lanes[lane]->*operand, lanes[lane % 16]->*operand, 32) != 0)
                fail("v_wmma: lane ", lane, " has other elements of ", operand == &Fragments::a ? "A" : "B",
                     " than lane ", lane % 16);
        for (int i = 0; i < 16; ++i) {
            x.a[lane % 16][i] = element(type, lanes[lane]->a, i);
            x.b[i][lane % 16] = element(type, lanes[lane]->b, i);
        }
        for (int i = 0; i < 8; ++i) x.c[2 * i + lane / 16][lane % 16] = static_cast<double>(lanes[lane]->c[i]);
    }
    x.multiply_add(16, 16);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 8; ++i) lanes[lane]->c[i] = static_cast<float>(x.c[2 * i + lane / 16][lane % 16]);
}

/// A lane's number, and the row of 16 lanes that it is read in.
struct Shared {
    int from;
    float given, taken;
};
void share(Shared* const* lanes, Lanes) {
    for (int i = 0; i < warp_lanes; ++i) {
        if (!lanes[i]) continue;
        const Shared* const from = lanes[i / 16 * 16 + lanes[i]->from];
        if (!from) fail("row_share reads lane ", lanes[i]->from, " of a row of which the block has fewer");
        lanes[i]->taken = from->given;
    }
}

}  // namespace

void mfma(Element type, int m, int k, float* c, const void* a, const void* b) {
    if (warp_lanes != 64) fail("v_mfma in a wave of ", warp_lanes, " lanes");
    Fragments mine{type, m, k, c, a, b};
    meet<Fragments, multiply_mfma>(m == 32               ? "v_mfma_f32_32x32x8"
                                   : type == Element::single ? "v_mfma_f32_16x16x4"
                                                             : "v_mfma_f32_16x16x16",
                                   whole_warp, mine);
}
void wmma(Element type, float* c, const std::uint32_t* a, const std::uint32_t* b) {
    if (warp_lanes != 32) fail("v_wmma in a wave of ", warp_lanes, " lanes");
    Fragments mine{type, 16, 16, c, a, b};
    meet<Fragments, multiply_wmma>("v_wmma_f32_16x16x16", whole_warp, mine);
}
float fma_row_share(int from, float c, float a, float b) {
    Shared mine{from, b, 0};
    meet<Shared, share>("row_share", lanes_there(), mine);
    return std::fma(a, mine.taken, c);
}

}  // namespace emulator
