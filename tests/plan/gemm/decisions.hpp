// SPDX-License-Identifier: Apache-2.0
/// Decisions of products given by their numbers.
#pragma once

#include <inlay/plan/gemm/decide.hpp>

namespace inlay_test {

using namespace inlay;

/// A product of M×N×K, K in so many segments, that sm_90a's engine has no kernels for.
constexpr GemmProblem product(index_t m, index_t n, index_t k, DType dtype = DType::f16, index_t segments = 1,
                              bool streams = true, bool evaluated = false) {
    GemmProblem p;
    p.shape = {1, m, n, segments, k / segments};
    p.dtype = dtype;
    p.streams = streams;
    p.evaluated = evaluated;
    p.wgmma.refused = "it is given by numbers";
    return p;
}
/// By the one tile beside sm_90a's engine.
inline std::string fallback(index_t m, index_t n, index_t k) {
    GemmProblem p = product(m, n, k, DType::f16, 1, false);
    p.wgmma_types = true;
    return std::string(text(decide(p, sm90a_target)));
}
/// By the engine of sm_90a.
constexpr GemmProblem product(const WgmmaGrid& w) {
    GemmProblem p;
    p.shape = {w.batch, w.m, w.n, w.taps, w.k};
    p.wgmma_types = true;
    p.wgmma = w;
    p.evaluated = w.evaluates;
    return p;
}

}  // namespace inlay_test
