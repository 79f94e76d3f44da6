// SPDX-License-Identifier: Apache-2.0
/// cuBLASLt as a peer. A row-major product y = x·wᵀ is the column-major yᵀ = w·xᵀ: w comes first, transposed.
#include "peers.hpp"

#include <inlay/core/error.hpp>

#ifdef INLAY_BENCH_CUBLASLT
#include <cublasLt.h>

#include <memory>

namespace inlay_bench {

namespace {

void check(cublasStatus_t code, const char* call) {
    inlay::require(code == CUBLAS_STATUS_SUCCESS, call, ": ", cublasLtGetStatusString(code));
}

cublasLtHandle_t handle() {
    static const cublasLtHandle_t h = [] {
        cublasLtHandle_t made;
        check(cublasLtCreate(&made), "cublasLtCreate");
        return made;
    }();
    return h;
}

cudaDataType_t type_of(DType t) {
    return t == DType::f16 ? CUDA_R_16F : t == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

/// Everything that describes one product, shared by its candidates.
struct Description {
    cublasLtMatmulDesc_t matmul = nullptr;
    cublasLtMatrixLayout_t w = nullptr, x = nullptr, y = nullptr;
    bool residual, bias;

    explicit Description(const Product& p) : residual(p.residual), bias(p.bias) {
        const cudaDataType_t t = type_of(p.type);
        check(cublasLtMatmulDescCreate(&matmul, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
        set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
        if (bias) {
            set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
            set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, t);
        }
        const auto layout = [&](cublasLtMatrixLayout_t& l, index_t rows, index_t cols) {
            check(cublasLtMatrixLayoutCreate(&l, t, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols),
                                             rows),
                  "cublasLtMatrixLayoutCreate");
        };
        layout(w, p.k, p.n);
        layout(x, p.k, p.m);
        layout(y, p.n, p.m);
    }
    Description(const Description&) = delete;
    ~Description() {
        cublasLtMatrixLayoutDestroy(y);
        cublasLtMatrixLayoutDestroy(x);
        cublasLtMatrixLayoutDestroy(w);
        cublasLtMatmulDescDestroy(matmul);
    }
    template <class V>
    void set(cublasLtMatmulDescAttributes_t what, const V& v) const {
        check(cublasLtMatmulDescSetAttribute(matmul, what, &v, sizeof v), "cublasLtMatmulDescSetAttribute");
    }
};

}  // namespace

std::vector<Candidate> cublaslt(const Product& p) {
    const auto d = std::make_shared<Description>(p);
    cublasLtMatmulPreference_t preference;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    const std::size_t workspace = peer_workspace_bytes;
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                               sizeof workspace),
          "cublasLtMatmulPreferenceSetAttribute");
    cublasLtMatmulHeuristicResult_t results[32];
    int found = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle(), d->matmul, d->w, d->x, d->y, d->y, preference, 32, results, &found);
    cublasLtMatmulPreferenceDestroy(preference);
    std::vector<Candidate> all;
    if (status != CUBLAS_STATUS_SUCCESS) return all;
    for (int i = 0; i < found; ++i)
        all.push_back(
            {"heuristic " + std::to_string(i), [d, algo = results[i].algo](const Operands& o, cudaStream_t stream) {
                 const float one = 1, beta = d->residual ? 1 : 0;
                 if (d->bias) d->set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, o.in[2]);
                 check(cublasLtMatmul(handle(), d->matmul, &one, o.in[1], d->w, o.in[0], d->x, &beta,
                                      d->residual ? o.in[3] : o.out, d->y, o.out, d->y, &algo, peer_workspace(),
                                      peer_workspace_bytes, stream),
                       "cublasLtMatmul");
             }});
    return all;
}

std::string cublaslt_version() {
    return std::to_string(cublasLtGetVersion());
}

}  // namespace inlay_bench
#else
namespace inlay_bench {
std::vector<Candidate> cublaslt(const Product&) {
    return {};
}
std::string cublaslt_version() {
    return "not in this build";
}
}  // namespace inlay_bench
#endif
