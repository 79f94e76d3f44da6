// SPDX-License-Identifier: Apache-2.0
/// One product of each matrix atom, from rows in shared memory to the places of C that its map gives, and the greatest
/// of register 0 over the lanes that share a row. Atoms whose map is wrong have to fail.
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/matrix.hpp>

using namespace inlay;
using namespace inlay::on_gpu;

namespace {

/// C = 2·A·B + A·Bᵣ, where Bᵣ has the columns of B in reverse order. A[m, k], B[n, k] and C[m, n] in memory.
template <class Atom, Images I>
__global__ void __launch_bounds__(Atom::lanes) multiply(float* out, float* greatest, const typename Atom::value_type* a,
                                                        const typename Atom::value_type* b) {
    if constexpr (in_image<I>()) {
        using T = typename Atom::value_type;
        constexpr int m = Atom::m, n = Atom::n, k = Atom::k, pitch = Atom::chunks * 16;
        static_assert(k * sizeof(T) == pitch);
        __shared__ __align__(32) T room[(m + 2 * n) * k];
        const int lane = lane_index();
        for (int i = lane; i < m * k; i += Atom::lanes) room[i] = a[i];
        for (int i = lane; i < n * k; i += Atom::lanes) {
            room[m * k + i] = b[i];
            room[(m + n) * k + i] = b[(n - 1 - i / k) * k + i % k];
        }
        block_sync();
        typename Atom::A left;
        typename Atom::B right, reversed;
        typename Atom::C c;
        const auto row_of_b = static_cast<unsigned>(Atom::b_row(lane) * pitch + Atom::b_chunk(lane) * 16);
        const auto row_of_a = static_cast<unsigned>(Atom::a_row(lane) * pitch + Atom::a_chunk(lane) * 16);
        Atom::load_a(left, shared_address(room) + row_of_a);
        Atom::load_b(right, shared_address(room + m * k) + row_of_b);
        Atom::load_b(reversed, shared_address(room + (m + n) * k) + row_of_b);
        Atom::mma(c, left, right);
        Atom::mma(c, left, reversed);
        Atom::mma(c, left, right);
        INLAY_UNROLL
        for (int i = 0; i < Atom::c_count; ++i) {
            const Place p = Atom::place_c(lane, i);
            out[p.row * n + p.column] = c.r[i];
        }
        greatest[lane] = Atom::reduce_row(c.r[0], [](float x, float y) { return x > y ? x : y; });
    }
}

/// Columns of C in the order of another atom.
template <class Atom>
struct WrongColumns : Atom {
    static constexpr Place place_c(int lane, int i) {
        const int columns = Atom::n / Atom::c_count, half = lane / Atom::m % columns;
        return {lane % Atom::m, half * Atom::c_count + i};
    }
};
template <class Atom>
struct ColumnsByTurns : Atom {
    static constexpr Place place_c(int lane, int i) {
        return {lane % Atom::m, i * (Atom::n / Atom::c_count) + lane / Atom::m};
    }
};
/// Chunks along k of B in another order than of A.
template <class Atom>
struct WrongChunks : Atom {
    static constexpr int b_chunk(int lane) { return Atom::chunks - 1 - Atom::b_chunk(lane); }
};

}  // namespace

#define CASE(name, atom, image)                                                          \
    extern "C" void name(float* out, float* greatest, const void* a, const void* b) {     \
        using T = typename atom::value_type;                                              \
        multiply<atom, Images::image><<<1, atom::lanes>>>(out, greatest, static_cast<const T*>(a), \
                                                          static_cast<const T*>(b));      \
    }
CASE(mfma_16x16_f16, MfmaAtom<fp16>, cdna)
CASE(mfma_16x16_bf16, MfmaAtom<bf16>, cdna)
CASE(mfma_16x16_f32, MfmaAtom<float>, cdna)
CASE(mfma_32x32_f16, MfmaWideAtom<fp16>, cdna)
CASE(mfma_32x32_bf16, MfmaWideAtom<bf16>, cdna)
CASE(wmma_16x16_f16, WmmaAtom<fp16>, rdna)
CASE(wmma_16x16_bf16, WmmaAtom<bf16>, rdna)
CASE(wmma_16x16_f32, WmmaAtom<float>, rdna)
CASE(wrong_mfma_32x32_f16, WrongColumns<MfmaWideAtom<fp16>>, cdna)
CASE(wrong_mfma_16x16_f16, WrongChunks<MfmaAtom<fp16>>, cdna)
CASE(wrong_wmma_16x16_f16, ColumnsByTurns<WmmaAtom<fp16>>, rdna)
