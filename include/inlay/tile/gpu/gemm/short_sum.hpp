// SPDX-License-Identifier: Apache-2.0
/// A few neighbouring elements of the sum of a product, whatever segments and runs they lie in: for reads at random,
/// without a table of runs.
#pragma once

#include <inlay/tile/gpu/chunk/access.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Elements [kk, kk + n) of a row of A, counted over all its segments; n ≤ N, and 0 in the other lanes.
template <int N, class Args>
__device__ INLAY_INLINE Vec<float, N> evaluate_sum(const Args& a, const typename Args::Rows::Row& row, int kk, int n) {
    Vec<float, N> v(0.0f);
    for (int done = 0; done < n;) {
        const int segment = static_cast<int>(static_cast<unsigned>(kk + done) / static_cast<unsigned>(a.k));
        const int k = kk + done - segment * a.k, run = (::min)(n - done, a.k - k);
        Extents<Args::rank> c;
        if (a.rows.at(row, segment, c)) {
            c.back(0) += k;
            const Vec<float, N> part = read_chunk<N>(a.in, c, run);
            if (run == N) return part;
            // Lane i is lane i − done of the run: moved by 1, 2 and 4, so that no array is indexed. Values are chosen,
            // and not places, of which clang would choose an address.
            Vec<float, N> moved = part;
            INLAY_UNROLL
            for (int by = 1; by < N; by *= 2)
                INLAY_UNROLL
                for (int i = N - 1; i >= by; --i) {
                    const float lower = moved.v[i - by], same = moved.v[i];
                    moved.v[i] = done & by ? lower : same;
                }
            INLAY_UNROLL
            for (int i = 0; i < N; ++i) {
                const float here = moved.v[i], before = v.v[i];
                v.v[i] = i >= done && i < done + run ? here : before;
            }
        }
        done += run;
    }
    return v;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
