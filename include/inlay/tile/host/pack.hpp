// SPDX-License-Identifier: Apache-2.0
/// Weights packed for the host matrix product: [ceil(N / host_panel)][K][host_panel], columns past N zero. Where their
/// type is multiplied as it is, K goes in pairs: [ceil(K / 2)][host_panel][2], a row past K zero. Done once, at load;
/// the packed copy is as large as the weights, N rounded up to a whole panel.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/tile/host/micro.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::on_host {

constexpr index_t data(index_t n) { return (n + host_panel - 1) / host_panel; }

/// Rows of a panel: k, and one more where pairs are whole only then. The same for every type.
constexpr index_t packed_depth(index_t k) { return host_multiplies_bf16 ? k + k % 2 : k; }

/// Elements of the packed form of weights [n, k].
constexpr index_t packed_size(index_t n, index_t k) { return data(n) * host_panel * packed_depth(k); }

/// Packs w, [n, k] with `row_stride` elements from row to row, into `out` of `packed_size(n, k)` elements.
template <Storage T>
void pack(const T* w, index_t row_stride, index_t n, index_t k, T* out, Threads& threads) {
    constexpr index_t step = depth_step<T>;
    const index_t depth = packed_depth(k);
    threads.parallel_for(data(n), [&](index_t panel, int) {
        T* const to = out + panel * depth * host_panel;
        const index_t n0 = panel * host_panel, columns = std::min<index_t>(host_panel, n - n0);
        if (columns < host_panel || depth > k) std::fill_n(to, depth * host_panel, to_storage<T>(0.f));
        constexpr index_t block = 64;  // of k: the lines being written stay in the first-level cache
        for (index_t k0 = 0; k0 < k; k0 += block) {
            const index_t k1 = (std::min)(k, k0 + block);
            for (index_t j = 0; j < columns; ++j) {
                const T* from = w + (n0 + j) * row_stride;
                for (index_t i = k0; i < k1; ++i) to[(i / step * host_panel + j) * step + i % step] = from[i];
            }
        }
    });
}

/// Packs `batch` dense blocks [n, k], one after the other, each as `pack` does.
template <Storage T>
void pack_blocks(const T* w, index_t batch, index_t n, index_t k, T* out, Threads& threads) {
    for (index_t b = 0; b < batch; ++b) pack(w + b * n * k, k, n, k, out + b * packed_size(n, k), threads);
}

}  // namespace inlay::inline INLAY_ABI::on_host
