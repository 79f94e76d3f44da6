// SPDX-License-Identifier: Apache-2.0
/// Matrix atoms of HIP on a wave of the emulator, whose instructions have maps of their own: rows in swizzled shared
/// memory go through `load_a`, `load_b` and `mma`, and C is where `place_c` says.
#include <gpu/emulated/check.hpp>

#include <inlay/core/half.hpp>
#include <inlay/tile/gpu/matrix.hpp>

#include <random>

namespace emulator_test {

/// Bytes of a row, and the place of a chunk in it.
constexpr int row_bytes = 128;
inline std::uint32_t swizzled_place(int row, int chunk) {
    return static_cast<std::uint32_t>(row * row_bytes + (chunk ^ row % 8) * 16);
}

/// C [m, n] and the sum of each row, from A [m, k] and B [n, k], whose chunks begin at `first`.
template <class Atom>
__global__ void multiplies(float* to, float* sums, const float* a, const float* b, int first) {
    extern __shared__ __align__(16) char memory[];
    using T = typename Atom::value_type;
    constexpr int elements = 16 / static_cast<int>(sizeof(T));
    const auto fill = [&](const float* from, int rows, std::uint32_t to_bytes) {
        for (int i = thread_index(); i < rows * Atom::k; i += Atom::lanes) {
            const int row = i / Atom::k, k = i % Atom::k;
            const T x(from[i]);
            std::memcpy(memory + to_bytes + swizzled_place(row, first + k / elements) + k % elements * sizeof(T), &x,
                        sizeof x);
        }
    };
    constexpr std::uint32_t of_b = Atom::m * row_bytes;
    fill(a, Atom::m, 0);
    fill(b, Atom::n, of_b);
    block_sync();
    const int lane = lane_index();
    const std::uint32_t here = shared_address(memory);
    typename Atom::A fa;
    typename Atom::B fb;
    typename Atom::C fc;
    Atom::load_a(fa, here + swizzled_place(Atom::a_row(lane), first + Atom::a_chunk(lane)));
    Atom::load_b(fb, here + of_b + swizzled_place(Atom::b_row(lane), first + Atom::b_chunk(lane)));
    Atom::mma(fc, fa, fb);
    float sum = 0;
    for (int i = 0; i < Atom::c_count; ++i) {
        const on_gpu::Place p = Atom::place_c(lane, i);
        to[p.row * Atom::n + p.column] = fc.r[i];
        sum += fc.r[i];
    }
    sums[lane] = Atom::reduce_row(sum, [](float x, float y) { return x + y; });
}

template <class Atom>
void expect_product() {
    std::mt19937 draw(1);
    const auto numbers = [&](int n) {
        std::vector<float> v(static_cast<std::size_t>(n));
        for (float& x : v) x = static_cast<float>(draw() % 17) - 8;
        return v;
    };
    const std::vector<float> a = numbers(Atom::m * Atom::k), b = numbers(Atom::n * Atom::k);
    std::vector<float> c(Atom::m * Atom::n), rows(Atom::m);
    for (std::size_t row = 0; row < Atom::m; ++row)
        for (std::size_t column = 0; column < Atom::n; ++column) {
            float& x = c[row * Atom::n + column];
            for (std::size_t k = 0; k < Atom::k; ++k) x += a[row * Atom::k + k] * b[column * Atom::k + k];
            rows[row] += x;
        }
    const Floats of_a(a), of_b(b), of_c(std::vector<float>(c.size())), sums(std::vector<float>(std::size_t{Atom::lanes}));
    for (int first = 0; first < 8; first += Atom::chunks) {
        EXPECT_EQ(error_of({1, Atom::lanes, (Atom::m + Atom::n) * row_bytes}, multiplies<Atom>, of_c.p, sums.p, of_a.p,
                           of_b.p, first),
                  "");
        EXPECT_EQ(of_c.get(), c);
        const std::vector<float> got = sums.get();
        for (int lane = 0; lane < Atom::lanes; ++lane)
            EXPECT_EQ(got[static_cast<std::size_t>(lane)], rows[static_cast<std::size_t>(Atom::place_c(lane, 0).row)]);
    }
}
TEST(HipAtoms, MultiplyWhatLiesInSharedMemory) {
    if constexpr (emulator::warp_lanes == 64) {
        expect_product<MfmaAtom<fp16>>();
        expect_product<MfmaAtom<bf16>>();
        expect_product<MfmaAtom<float>>();
        expect_product<MfmaWideAtom<fp16>>();
        expect_product<MfmaWideAtom<bf16>>();
    } else {
        expect_product<WmmaAtom<fp16>>();
        expect_product<WmmaAtom<bf16>>();
        expect_product<WmmaAtom<float>>();
    }
}

}  // namespace emulator_test
