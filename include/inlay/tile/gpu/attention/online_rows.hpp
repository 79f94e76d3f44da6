// SPDX-License-Identifier: Apache-2.0
/// The rows of a warp in an online reduction: running maxima and sums in registers, in the places of the atom's C.
/// Everything about them comes from a recurrence of `plan/attention/online.hpp`.
#pragma once

#include <inlay/plan/attention/online/state.hpp>
#include <inlay/tile/gpu/attention/places.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Reductions of a recurrence, as shared memory and partial results have them. `V`: sums with V.
template <class R>
struct Reductions {
    static constexpr int maxima = R::maxima::size, sums = R::sums::size, vectors = R::vectors::size;

    /// The weight of sum v with V, among all weights.
    INLAY_FN static constexpr int weight(int v) { return weight(v, typename R::vectors{}); }

private:
    template <class... V>
    INLAY_FN static constexpr int weight([[maybe_unused]] int v, types<V...>) {
        [[maybe_unused]] int i = 0;
        int found = 0;
        ((found = i++ == v ? inlay::detail::index_in<typename R::weights, online::weight_of<V>> : found), ...);
        return found;
    }
};

/// The rows that a lane has in each tile of 16; sums are of this lane's columns only until `finish`.
template <class R, class Atom, int MTiles>
struct OnlineRows : Reductions<R> {
    using Recurrence = R;
    using Row = online::Row<R, float>;
    /// Of a block of keys, the greatest of each row.
    using Maxima = float[online::detail::room_for<typename R::maxima>][MTiles][Atom::c_rows];
    Row row[MTiles][Atom::c_rows];

    /// Sums over the lanes that share a row.
    __device__ INLAY_INLINE void finish() {
        INLAY_UNROLL
        for (int i = 0; i < OnlineRows::sums; ++i)
            INLAY_UNROLL
            for (int m = 0; m < MTiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h)
                    row[m][h].sum[i] = Atom::reduce_row(row[m][h].sum[i], [](float x, float y) { return x + y; });
    }
};

/// The greatest value of each row among the warp's keys; `value(m, n, i)`: that of register i of a tile.
template <class Atom, int MTiles, int KeyTiles, class Value>
__device__ INLAY_INLINE void row_maxima(float (&most)[MTiles][Atom::c_rows], const Value& value) {
    constexpr int columns = Atom::c_columns;
    const auto of_tile = [&](int m, int n, int first) {
        float x = fmaxf(value(m, n, first), value(m, n, first + 1));
        INLAY_UNROLL
        for (int i = 2; i < columns; ++i) x = fmaxf(x, value(m, n, first + i));
        return x;
    };
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < Atom::c_rows; ++h) {
            float x = of_tile(m, 0, columns * h);
            INLAY_UNROLL
            for (int n = 1; n < KeyTiles; ++n) x = fmaxf(x, of_tile(m, n, columns * h));
            most[m][h] = Atom::reduce_row(x, [](float a, float b) { return fmaxf(a, b); });
        }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
