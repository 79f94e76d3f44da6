// SPDX-License-Identifier: Apache-2.0
/// Blocks of K and V as panels of the micro kernel, and the product with Q. T: float, or bf16 in pairs.
#pragma once

#include <inlay/tile/host/attention/plan.hpp>
#include <inlay/tile/host/convert.hpp>
#include <inlay/tile/host/micro.hpp>

#include <algorithm>
#include <concepts>
#include <cstring>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host::detail {

/// Packs up to host_panel rows of d elements as one panel [depth][host_panel], of pairs [depth / 2][host_panel][2], with
/// zeros behind d; absent rows are zero. A transposition of words of four bytes: floats, or pairs of bf16.
template <class T>
void pack_columns(const T* const* rows, index_t count, index_t d, index_t depth, T* out) {
    constexpr index_t each = 4 / sizeof(T);
    const index_t words = d / each;
    const auto copy_word = [&](index_t j, index_t i) {
        std::memcpy(out + each * (i * host_panel + j), rows[j] + each * i, 4);
    };
    const index_t kept = count < host_panel ? 0 : words * each;
    std::fill_n(out + kept * host_panel, (depth - kept) * host_panel, to_storage<T>(0.f));
    index_t j = 0;
#if defined(__SSE__)
    for (; j + 4 <= count; j += 4) {
        index_t i = 0;
        for (; i + 4 <= words; i += 4) {
            const auto four = [&](index_t r) {
                return _mm_loadu_ps(reinterpret_cast<const float*>(rows[j + r] + each * i));
            };
            __m128 a = four(0), b = four(1), c = four(2), e = four(3);
            _MM_TRANSPOSE4_PS(a, b, c, e);
            float* const to = reinterpret_cast<float*>(out + each * (i * host_panel + j));
            _mm_storeu_ps(to, a);
            _mm_storeu_ps(to + host_panel, b);
            _mm_storeu_ps(to + 2 * host_panel, c);
            _mm_storeu_ps(to + 3 * host_panel, e);
        }
        for (; i < words; ++i)
            for (index_t r = j; r < j + 4; ++r) copy_word(r, i);
    }
#endif
    for (; j < count; ++j)
        for (index_t i = 0; i < words; ++i) copy_word(j, i);
    if (words * each < d)
        for (j = 0; j < count; ++j) out[each * (words * host_panel + j)] = rows[j][d - 1];
}

/// Row `row` of a block of B with `depth` rows, into panels [ceil(n / host_panel)][depth][host_panel].
inline void pack_row(const float* from, index_t n, index_t row, index_t depth, float* out) {
    for (index_t n0 = 0; n0 < n; n0 += host_panel) {
        float* to = out + n0 * depth + row * host_panel;
        const index_t columns = std::min<index_t>(host_panel, n - n0);
        std::memcpy(to, from + n0, sizeof(float) * static_cast<std::size_t>(columns));
        std::fill(to + columns, to + host_panel, 0.f);
    }
}
/// Rows `row` and `row + 1`, side by side: panels are [depth / 2][host_panel][2].
inline void pack_rows(const bf16* even, const bf16* odd, index_t n, index_t row, index_t depth, bf16* out) {
    for (index_t n0 = 0; n0 < n; n0 += host_panel) {
        bf16* const to = out + n0 * depth + row * host_panel;
        const index_t columns = std::min<index_t>(host_panel, n - n0);
        index_t j = 0;
        for (; j + host_lanes <= columns; j += host_lanes) {
            const isa::pairs x = isa::interleave(even + n0 + j, odd + n0 + j);
            std::memcpy(to + 2 * j, &x.v, sizeof(x.v));
        }
        for (; j < columns; ++j) to[2 * j] = even[n0 + j], to[2 * j + 1] = odd[n0 + j];
        std::fill(to + 2 * columns, to + 2 * host_panel, to_storage<bf16>(0.f));
    }
}
/// A block of V, `row(j, scratch)` for j below `count`, as B of the product with the weights: panels of `depth` rows,
/// those from `count` on zero. `spare`: two rows.
template <class T, class Row>
void pack_values(Row&& row, index_t count, index_t depth, index_t n, T* spare, T* out) {
    if constexpr (std::same_as<T, float>) {
        for (index_t j = 0; j < count; ++j) pack_row(row(j, spare), n, j, depth, out);
    } else {
        for (index_t j = 0; j < depth; j += 2) {
            const T *even = spare, *odd = spare + n;
            if (j + 1 >= count) std::fill_n(spare, 2 * n, to_storage<T>(0.f));
            if (j < count) even = row(j, spare);
            if (j + 1 < count) odd = row(j + 1, spare + n);
            pack_rows(even, odd, n, j, depth, out);
        }
    }
}

/// n weights as factors, in their own place; behind them bf16 of 0, `depth` together.
template <class T>
const T* as_factors(float* weights, [[maybe_unused]] index_t n, [[maybe_unused]] index_t depth) {
    if constexpr (std::same_as<T, float>) {
        return weights;
    } else {
        T* const to = reinterpret_cast<T*>(weights);
        store_row(weights, to, n);  // never ahead of what it reads
        std::fill(to + n, to + depth, to_storage<T>(0.f));
        return to;
    }
}

/// Terms of a chain of a score's sum: a head of 512 summed in one loses twice what PyTorch's does.
inline constexpr index_t slice_depth = 128;

/// `multiply_panel` over k, a slice at a time.
template <class T>
void multiply_in_slices(const T* const* a, index_t m, const T* b, index_t n, index_t k, float* c, index_t ldc) {
    constexpr index_t part = slice_depth;
    const T* shifted[AttentionPlan::row_limit + host_tile_rows];  // whole tiles of rows
    multiply_panel(a, m, b, n, (std::min)(part, k), c, ldc, false);
    for (index_t k0 = part; k0 < k; k0 += part) {
        for (index_t i = 0; i < m; ++i) shifted[i] = a[i] + k0;
        multiply_panel(shifted, m, b + k0 * host_panel, n, (std::min)(part, k - k0), c, ldc, true);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host::detail

INLAY_ORDERED_END
