// SPDX-License-Identifier: Apache-2.0
/// The decision of a kernel on a target, whatever its family: the one that the launch takes, as `explain` prints it.
#pragma once

#include <inlay/plan/attention/decide.hpp>
#include <inlay/plan/elementwise.hpp>
#include <inlay/plan/gemm/decide.hpp>
#include <inlay/plan/norm/decide.hpp>
#include <inlay/plan/reduce/decide.hpp>
#include <inlay/report/kernel.hpp>

namespace inlay::inline INLAY_ABI {

struct KernelDecision {
    GemmDecision gemm;          ///< of a matrix product
    AttentionDecision attention;
    NormDecision norm;          ///< of a softmax or norm
    ReduceDecision reduce;
    ElementwiseDecision elementwise;
    bool wgmma = false;         ///< sm_90a's engine runs it
    const char* why_not_wgmma = nullptr;

    /// True where a kernel before evaluates its input, or an operand of attention.
    bool evaluates_first() const { return gemm.before == GemmBefore::evaluates_input || attention.before.any(); }
    /// The target with the properties of the engine that runs the kernel.
    const TargetInfo& engine(const TargetInfo& t) const { return wgmma ? sm90a_products : t; }
};

inline KernelDecision decide(const KernelReport& l, const TargetInfo& t) {
    KernelDecision d;
    if (l.matrix()) {
        d.gemm = decide(l.gemm, t);
        d.wgmma = d.gemm.engine == GemmEngine::wgmma;
        d.why_not_wgmma = d.gemm.why(GemmEngine::wgmma);
    } else if (l.attends()) {
        d.attention = decide(l.attention, t);
        d.wgmma = d.attention.engine == AttentionEngine::wgmma;
        d.why_not_wgmma = d.attention.why(AttentionEngine::wgmma);
    }
    if (l.norm.items > 0) d.norm = decide(l.norm, t);
    if (l.reduce.results > 0) d.reduce = decide(l.reduce, t);
    if (l.elementwise.rows > 0) d.elementwise = decide(l.elementwise, t);
    return d;
}

}  // namespace inlay::inline INLAY_ABI
