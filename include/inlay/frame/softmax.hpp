// SPDX-License-Identifier: Apache-2.0
/// Softmax over the last axis: exp(x − max) / Σ exp(x − max). A row of −inf gives NaN, as in PyTorch.
///
/// Holes: input expression (scale, mask, bias); epilogue over Out; sink. Moves the input and the output once.
#pragma once

#include <inlay/frame/base.hpp>
#include <inlay/frame/row_operation.hpp>

namespace inlay::inline INLAY_ABI {

/// The row operation of Softmax.
struct SoftmaxRow {
    INLAY_CALLS_BACK
    template <class Row>
    INLAY_FN void operator()(Row& row) const {
        row.softmax();
    }
};
static_assert(RowOperation<SoftmaxRow>);

template <class In = Buf<0>, class Epilogue = Out, class S = Store<0>, class Schedule = Auto>
struct Softmax : frame_tag {
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 0;
    static constexpr const char* kind = "softmax";
    using calls = rows_member;

    template <int R>
    static Problem<R> shape(const Extents<R>& in) {
        return {in, 5.0 * static_cast<double>(count(in))};
    }
    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        target.rows(p.problem.out, get<0>(p.in), SoftmaxRow{}, p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
