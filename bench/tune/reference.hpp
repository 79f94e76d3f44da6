// SPDX-License-Identifier: Apache-2.0
/// The expected result of a product, at random places, as a sum in double by a kernel that shares nothing with Inlay's.
#pragma once

#include "../cuda/peers.hpp"

#include <cstdio>
#include <string>

namespace inlay_bench {

/// Output place (m, n) of y[m, n] = Σ f(x)·w + bias[n], by the host's description of a product or a convolution.
struct Reference {
    const void *x, *w, *bias, *y;
    DType type;
    index_t m, n, k;                        ///< n: of the output; k: channels
    index_t height = 1, width = 1;          ///< of the input; rows of a linear layer are images of one pixel
    index_t out_height = 1, out_width = 1;
    int taps = 1, stride = 1, before = 0;
    /// f: SiLU of scale·x + shift, vectors of the channels.
    const float *scale = nullptr, *shift = nullptr;
    /// Of 32 rows of w 16 are values v and 16 gates g, and y = (v + bias[n]) · gelu(g + bias[N + n]).
    bool pairs = false;
};
struct Misfit {
    double relative_l2 = 0, worst = 0;      ///< worst: the largest error beyond rounding over the root mean square
    long long nans = 0, worst_m = 0, worst_n = 0;
    bool bad(DType t) const {
        const double eps = t == DType::f16 ? 1.0 : 8.0;
        return nans > 0 || !(relative_l2 < 6e-4 * eps) || !(worst < 6e-3 * eps);
    }
    std::string text() const {
        char s[160];
        std::snprintf(s, sizeof s, "WRONG l2 %.2e worst %.2e at (%lld, %lld), %lld nans", relative_l2, worst, worst_m,
                      worst_n, nans);
        return s;
    }
};
/// At most `samples` random places, all of them where there are no more.
Misfit misfit(cudaStream_t stream, const Reference& r, index_t samples = 1 << 18);

}  // namespace inlay_bench
