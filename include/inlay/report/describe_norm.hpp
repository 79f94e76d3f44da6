// SPDX-License-Identifier: Apache-2.0
/// A softmax or norm as its frame hands it to a target: the frame runs on a target that only notes the problem, by the
/// function with which a launch gets it.
#pragma once

#include <inlay/plan/norm/rows.hpp>
#include <inlay/report/kernel.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

struct NotesNorm {
    KernelReport& l;

    template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
    void group_norm(const Extents<R>& e, double, const G&, const B&, const In& in, const Epilogue& epilogue,
                    const Sink& sink) {
        l.norm = group_norm_problem<Groups>(e, in, epilogue, sink);
    }
    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        l.norm = rows_problem(e, in, op, epilogue, sink);
    }
    template <class S>
    void publish_stats(const S&) {}
};

}  // namespace detail

/// Adds to a launch the norm that it is.
template <class K, class P>
void describe_norm(const P& prepared, KernelReport& l) {
    detail::NotesNorm target{l};
    K::run(target, prepared);
}

}  // namespace inlay::inline INLAY_ABI
