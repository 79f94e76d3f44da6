// SPDX-License-Identifier: Apache-2.0
/// The instructions of the micro kernel: of floats, and, where the processor has them, of bf16, of which two neighbours
/// along K in each 32-bit lane are multiplied by two others and added to one sum in fp32.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>

#include <type_traits>

#if defined(__FMA__) || defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace inlay::inline INLAY_ABI::on_host {

/// Rows of K that lie side by side in a packed weight of T: 2 where bf16 is multiplied as it is.
template <Storage T>
inline constexpr index_t depth_step = host_multiplies_bf16 && std::is_same_v<T, bf16> ? 2 : 1;

/// The type in which weights of W are multiplied by an operand that all comes in T: bf16, or float.
template <Storage W, class T>
using factor_type = std::conditional_t<depth_step<W> == 2 && std::is_same_v<T, bf16>, bf16, float>;

namespace isa {

/// `host_lanes` pairs of bf16: the first of a pair in the low half of its lane.
using pairs = Vec<std::int32_t, host_lanes>;

/// Any address that a bf16 may have.
INLAY_INLINE pairs load_pairs(const bf16* p) {
    pairs r;
    __builtin_memcpy(&r.v, p, sizeof(r.v));
    return r;
}
/// Pairs of which the first are a's values and the second b's, `host_lanes` values each.
INLAY_INLINE pairs interleave(const bf16* a, const bf16* b) {
    typedef std::uint16_t halves __attribute__((vector_size(2 * host_lanes)));
    halves x, y;
    __builtin_memcpy(&x, a, sizeof(x));
    __builtin_memcpy(&y, b, sizeof(y));
    return pairs::from(__builtin_convertvector(x, pairs::native_type) |
                       __builtin_convertvector(y, pairs::native_type) << 16);
}
/// The first and the second values of pairs, as floats.
INLAY_INLINE fvec first_of(pairs x) { return math::detail::as_float(pairs::from(x.v << 16)); }
INLAY_INLINE fvec second_of(pairs x) { return math::detail::as_float(pairs::from(x.v & ~0xffff)); }

/// A vector of B and a step of A, which are one factor in each 32 bits or two.
template <class T>
struct Factors;
template <>
struct Factors<float> {
    INLAY_INLINE static fvec load(const float* b) { return fvec::load(b); }
    INLAY_INLINE static fvec broadcast(const float* row, index_t step) { return row[step]; }
    /// By its name where there is one instruction: compilers that contract leave some sums of one row apart (g++ 13 for
    /// sapphirerapids avoids chains of them), and a row's bits would depend on the rows beside it.
    INLAY_INLINE static void add_products(fvec& sum, fvec a, fvec b) {
#if defined(__AVX512F__) && defined(__FMA__)
        sum.v = _mm512_fmadd_ps(a.v, b.v, sum.v);
#elif defined(__FMA__)
        sum.v = _mm256_fmadd_ps(a.v, b.v, sum.v);
#else
        sum.v += a.v * b.v;
#endif
    }
};
#if defined(__AVX512BF16__)
template <>
struct Factors<bf16> {
    INLAY_INLINE static pairs load(const bf16* b) { return load_pairs(b); }
    INLAY_INLINE static pairs broadcast(const bf16* row, index_t step) {
        std::int32_t x;
        __builtin_memcpy(&x, row + 2 * step, sizeof(x));
        return pairs(x);
    }
    /// Denormals count as 0.
    INLAY_INLINE static void add_products(fvec& sum, pairs a, pairs b) {
        sum.v = _mm512_dpbf16_ps(sum.v, __builtin_bit_cast(__m512bh, a.v), __builtin_bit_cast(__m512bh, b.v));
    }
};
#endif

}  // namespace isa

}  // namespace inlay::inline INLAY_ABI::on_host
