// SPDX-License-Identifier: Apache-2.0
/// Fragments of attention: the addresses at which lanes read rows in shared memory, the places of C in a tile, and the
/// contract with an engine on what its instructions decide.
#pragma once

#include <inlay/core/config.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// An engine specialises it for its atoms. Rows lie Pitch bytes apart and are not swizzled; a step is what one atom
/// takes along k. Addresses are a lane's.
///
///     Operand prepared(F)                     // an A or B as Atom::mma takes it
///     int lane_of_a<Pitch>(lane)              // what a lane adds to the address of 16 rows of A,
///     void load_a<Pitch>(A&, at)              // to load a step of them
///     int lane_of_keys<Pitch>(lane)           // the same of Atom::n rows of B, or of twice as many
///     void load_keys<Pitch, Pair>(B (&)[2], at)
///     int lane_of_values<Pitch>(lane)         // and of a step of keys, whose columns are Atom::n of B's, or twice that
///     void load_values<Pitch, Pair>(B (&)[2], at)
///     A of_scores(const C* tiles, int step)   // probabilities in C as a step of A, in the values' order of keys
///     int lane_of_scores(lane, key)           // bytes in a row of probabilities in shared memory, in the same order,
///     int tile_of_scores(n)                   // and of the warp's n-th tile of keys, which starts at `key`
///     void store_scores<Pitch>(to, C)
///     Tail; load_tail<Row>(Tail&, q, lane)    // queries in the chunks after the last whole step; q: of the first row
///     void add_tail<Row>(s, tails, k, lane)   // and their products with a warp's keys, whose rows start at k
///     void to_halves(A (&)[steps], back)      // of an atom over K and V in fp8: a lane's rows of Q in fp16, times a
///                                             // power of two each, and the factors that undo it
template <class Atom>
struct Fragments;

/// True for atoms whose long sums are added in parts: those of fp32.
template <class Atom>
inline constexpr bool sums_in_parts = Atom::steps_per_sum <= 8;

/// c += a·b. In parts, small products go to `rest`: with them in one sum an attention is 1.3 times as far from fp64.
template <class Atom, class A, class B>
__device__ INLAY_INLINE void add_product(typename Atom::C& c, typename Atom::C& rest, const A& a, const B& b) {
    if constexpr (sums_in_parts<Atom>) Atom::mma(c, rest, a, b);
    else Atom::mma(c, a, b);
}

/// Rows of C from a lane's first to its h-th, and columns to its r-th: the same for all lanes.
template <class Atom>
INLAY_FN constexpr int c_row(int h) {
    return Atom::place_c(0, h * Atom::c_columns).row;
}
template <class Atom>
INLAY_FN constexpr int c_column(int r) {
    return Atom::place_c(0, r).column;
}

/// The place of a register of C in the result: another one than among scores where an atom takes the columns of V in
/// another order than keys.
template <class Atom>
INLAY_FN constexpr auto result_place(int lane, int i) {
    if constexpr (requires { Atom::place_result(lane, i); }) return Atom::place_result(lane, i);
    else return Atom::place_c(lane, i);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
