// SPDX-License-Identifier: Apache-2.0
/// The product of a warp's weights with V, in registers.
#pragma once

#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// o += P V over Steps steps of keys. `v`: the lane's address of the first key and the first column.
template <class T, class Atom, class Row, int Steps, int MTiles, int OutTiles, class P>
__device__ INLAY_INLINE void add_values(typename Atom::C (&o)[MTiles][OutTiles], const P (&p)[Steps][MTiles],
                                        std::uint32_t v) {
    using F = Fragments<Atom>;
    constexpr bool parts = sums_in_parts<Atom>;
    static_assert(!parts || Steps <= Atom::steps_per_sum);
    INLAY_UNROLL
    for (int n = 0; n < OutTiles; n += 2) {
        typename Atom::C part[2][MTiles], rest[2][MTiles];
        INLAY_UNROLL
        for (int i = 0; i < Steps; ++i) {
            typename Atom::B b[2];
            const std::uint32_t at = Row::at(v, i * Atom::k, n * Atom::n * static_cast<int>(sizeof(T)));
            if (n + 1 < OutTiles) F::template load_values<Row::pitch, true>(b, at);
            else F::template load_values<Row::pitch, false>(b, at);
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < OutTiles; ++j) {
                const auto value = F::prepared(b[j]);
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m)
                    add_product<Atom>(parts ? part[j][m] : o[m][n + j], rest[j][m], p[i][m], value);
            }
        }
        if constexpr (parts) {
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < OutTiles; ++j)
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m)
                    INLAY_UNROLL
                    for (int r = 0; r < Atom::c_count; ++r) o[m][n + j].r[r] += part[j][m].r[r] + rest[j][m].r[r];
        }
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
