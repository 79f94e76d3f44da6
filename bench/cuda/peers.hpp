// SPDX-License-Identifier: Apache-2.0
/// The libraries we are compared with. Each offers the ways it has to do a piece of work, and the harness times them
/// all and takes the best. In a build without a library its list is empty and its version says so.
#pragma once

#include <cuda_runtime_api.h>
#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>

#include <functional>
#include <string>
#include <vector>

namespace inlay_bench {

using inlay::DType;
using inlay::index_t;

/// The addresses of one launch's operands: inputs in the order in which a case declares them, and its output.
struct Operands {
    const void* in[4];
    void* out;
};

/// One way to do a case's work; throws where the library refuses.
struct Candidate {
    std::string name;
    std::function<void(const Operands&, cudaStream_t)> launch;
};

/// y[M, N] = x[M, K] · w[N, K]ᵀ (+ bias[N]) (+ residual[M, N]): inputs x, w, bias, residual.
struct Product {
    index_t m, n, k;
    DType type = DType::f16;
    bool bias = false, residual = false;
};

/// Convolution over NHWC, filter [O, R, S, C], padded by half the filter: inputs x, w, bias, residual.
struct Convolution {
    index_t batch, height, width, in, out;
    int taps = 3, stride = 1;
    DType type = DType::f16;
    bool residual = false;
    index_t out_height() const { return (height - 1) / stride + 1; }
    index_t out_width() const { return (width - 1) / stride + 1; }
};

/// Softmax(QKᵀ / √dim)·V over [batch, tokens, heads, dim]: inputs q, k, v.
struct Scores {
    index_t batch, heads, queries, keys, dim;
    DType type = DType::f16;
    bool binary = false;        ///< powers of two of Q·K, not of e of Q·K / √dim
    index_t key_heads = heads;
};

/// All results of its heuristics. Accumulates in fp32; fp32 inputs are not rounded to TF32.
std::vector<Candidate> cublaslt(const Product& p);
/// Plans of the graph API with bias and residual fused, at most `plans` of them; accumulation as above.
std::vector<Candidate> cudnn(const Convolution& p, int plans);
std::vector<Candidate> cudnn(const Scores& p, int plans);
/// Sums with CUB. Inputs: x, fp32.
std::vector<Candidate> cub_sum(index_t n);
std::vector<Candidate> cub_sum_rows(index_t rows, index_t n);

/// "13.1.0.3", or "not in this build".
std::string cublaslt_version();
std::string cudnn_version();

/// Scratch memory of the peers, allocated once.
inline constexpr std::size_t peer_workspace_bytes = std::size_t(256) << 20;
void* peer_workspace();

}  // namespace inlay_bench
