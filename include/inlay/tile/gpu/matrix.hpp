// SPDX-License-Identifier: Apache-2.0
/// The vendor's matrix atoms: the one way from `tile/gpu` to them. All have this interface:
///
///     struct Atom {
///         using value_type = …;               // of A and B in memory; sums are fp32
///         static constexpr int shared_bytes;  // that a block has on every device with the atom
///         static constexpr int lanes;         // of the warp that multiplies together
///         static constexpr int m, n, k;       // C[m, n] += A[m, k] · B[k, n]
///         static constexpr int chunks;        // of 16 bytes along k
///         static constexpr int c_count;       // registers of C of a lane, c_rows × c_columns: register
///         static constexpr int c_rows, c_columns, c_run;      // row · c_columns + j; c_run: neighbours in memory
///         static constexpr int steps_per_sum; // longest exact sum in registers: `tile/cuda/mma/atom.hpp`
///         static constexpr int b_pair;        // atoms along n that one `load_b` may serve
///         struct A, B, C;                     // fragments; C has float r[c_count], 0 at first
///         static constexpr Place place_c(int lane, int i);
///         static constexpr int a_row(int lane), a_chunk(int lane), b_row(int lane), b_chunk(int lane);
///         static void load_a(A&, address), load_b(B&, address);   // the address of the lane's row and chunk
///         template <class Op> static float reduce_row(float, Op);  // over the lanes that share a row of C
///         static void mma(C&, const A&, const B&);
///         static std::uint32_t pack(float first, float second);   // two of 16 bits as a register
///     };
///
/// The order of k within a step is the atom's own: that of A and of B are the same.
#pragma once

#if defined(__HIP__)
#include <inlay/tile/hip/mfma/atom.hpp>
#include <inlay/tile/hip/wmma/atom.hpp>
#else
#include <inlay/tile/cuda/mma/atom.hpp>
#endif
