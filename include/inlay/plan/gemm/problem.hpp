// SPDX-License-Identifier: Apache-2.0
/// A matrix product as its decision depends on it: plain numbers, from what a frame hands to a target. Tensors need no
/// memory: one without counts as aligned.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/access/copied.hpp>
#include <inlay/plan/gemm/gemv.hpp>
#include <inlay/plan/gemm/schedules.hpp>
#include <inlay/plan/gemm/wgmma.hpp>
#include <inlay/plan/gemm/winograd.hpp>

namespace inlay::inline INLAY_ABI {

struct GemmProblem {
    MatmulShape shape;
    DType dtype = DType::f16;       ///< in which a GPU multiplies: `plan/access/product_type.hpp`
    bool converts = false;          ///< the weights are stored in another type
    bool tiled = false;             ///< by a schedule of the user's
    bool evaluated = false;         ///< the input is not only copied: `is_copied_of`
    bool gated = false;             ///< a column has two sums, Out and OutGate
    bool streams = true;            ///< weights may be streamed where rows are few: `streams_weights`
    bool wgmma_types = false;       ///< types are such that kernels of sm_90a's engine are compiled
    WindowFacts window;             ///< of a convolution
    WgmmaGrid wgmma;                ///< the product as this engine has it, or why it does not take it

    constexpr index_t sum() const { return shape.segments * shape.k; }
    constexpr double flops() const {
        return 2.0 * static_cast<double>(shape.batch * shape.m) * static_cast<double>(shape.n * sum());
    }
    /// Bytes moved at least: both operands and the result, once. Taps of a filter read the same pixels.
    constexpr double bytes() const {
        const auto of = [&](index_t a, index_t b) {
            return static_cast<double>(shape.batch * a) * static_cast<double>(b);
        };
        return static_cast<double>(inlay::bytes(dtype)) *
               (of(shape.m, shape.k) + of(shape.n, sum()) + of(shape.m, shape.n));
    }
};

/// The problem, and what sm_90a's engine maps of it.
struct GemmFacts {
    GemmProblem problem;
    WgmmaOperand operand;
    MappedTensor weights;
};

/// The problem in the type T in which it is multiplied. `Schedule`: the frame's; void where the caller has chosen a tile
/// of sm_90a's engine, which takes few rows too. `w`: the weights in this type, null where they are still to be
/// converted; `maps`: true if the target has sm_90a's engine, else nothing is looked up for it.
template <class Schedule, class Epilogue, class T, class In, class Rows, class Sink>
GemmFacts gemm_facts(const MatmulShape& s, const T* w, const In& in, const Rows& rows, const Sink& sink, bool converts,
                     bool maps = true) {
    GemmFacts f;
    GemmProblem& p = f.problem;
    p.shape = s;
    p.dtype = dtype_of<T>;
    p.converts = converts;
    p.evaluated = !is_copied_of<T, In>;
    p.gated = gated<typename Epilogue::expression>;
    p.streams = streams_weights<Rows>(s, w, in);
    p.window = window_facts(rows);
    p.wgmma.refused = wgmma_types_refused<T, In, Rows, Epilogue>();
    if constexpr (requires { Schedule::m; }) {
        p.tiled = true;
        p.wgmma.refused = "its schedule is the user's";
    } else if constexpr (can_wgmma<T, In, Rows, Epilogue>) {
        p.wgmma_types = true;
        if (!std::is_void_v<Schedule> && s.m <= gemv_rows) {
            p.wgmma.refused = "so few rows fill no tile";
        } else if (maps) {
            f.operand = wgmma_operand<T>(s, in, rows);
            f.weights = mapped_weights(s, w);
            p.wgmma = wgmma_grid<Rows, Epilogue>(s, f.operand, f.weights, sink, !can_wgmma_copy<T, In, Rows>);
        }
    }
    if (converts) p.wgmma.refused = "its operands are not of one 16-bit type";
    return f;
}

}  // namespace inlay::inline INLAY_ABI
