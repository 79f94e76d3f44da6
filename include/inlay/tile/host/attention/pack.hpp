// SPDX-License-Identifier: Apache-2.0
/// Blocks of K and V as panels of the micro kernel, and the product with Q.
#pragma once

#include <inlay/tile/host/attention/plan.hpp>
#include <inlay/tile/host/micro.hpp>

#include <algorithm>
#include <cstring>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host::detail {

/// Packs up to host_panel rows of length d as one panel [d][host_panel], absent rows zero: a transposition.
inline void pack_columns(const float* const* rows, index_t count, index_t d, float* out) {
    if (count < host_panel) std::fill_n(out, d * host_panel, 0.f);
    index_t j = 0;
#if defined(__SSE__)
    for (; j + 4 <= count; j += 4) {
        index_t i = 0;
        for (; i + 4 <= d; i += 4) {
            __m128 a = _mm_loadu_ps(rows[j] + i), b = _mm_loadu_ps(rows[j + 1] + i), c = _mm_loadu_ps(rows[j + 2] + i),
                   e = _mm_loadu_ps(rows[j + 3] + i);
            _MM_TRANSPOSE4_PS(a, b, c, e);
            float* const to = out + i * host_panel + j;
            _mm_storeu_ps(to, a);
            _mm_storeu_ps(to + host_panel, b);
            _mm_storeu_ps(to + 2 * host_panel, c);
            _mm_storeu_ps(to + 3 * host_panel, e);
        }
        for (; i < d; ++i)
            for (index_t r = j; r < j + 4; ++r) out[i * host_panel + r] = rows[r][i];
    }
#endif
    for (; j < count; ++j)
        for (index_t i = 0; i < d; ++i) out[i * host_panel + j] = rows[j][i];
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

/// `multiply_panel` over k, at most 128 terms to a chain: a head of 512 summed in one loses twice what PyTorch's does.
inline void multiply_in_slices(const float* const* a, index_t m, const float* b, index_t n, index_t k, float* c,
                              index_t ldc) {
    constexpr index_t part = 128;
    const float* shifted[AttentionPlan::row_limit + host_tile_rows];  // whole tiles of rows
    multiply_panel(a, m, b, n, (std::min)(part, k), c, ldc, false);
    for (index_t k0 = part; k0 < k; k0 += part) {
        for (index_t i = 0; i < m; ++i) shifted[i] = a[i] + k0;
        multiply_panel(shifted, m, b + k0 * host_panel, n, (std::min)(part, k - k0), c, ldc, true);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host::detail

INLAY_ORDERED_END
