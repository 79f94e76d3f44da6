// SPDX-License-Identifier: Apache-2.0
/// A reduction or elementwise work as its frame hands it to a target: the frame runs on a target that only notes the
/// problem, by the function with which a launch gets it.
#pragma once

#include <inlay/plan/elementwise.hpp>
#include <inlay/plan/reduce/problem.hpp>
#include <inlay/report/kernel.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

struct NotesReduce {
    KernelReport& l;

    template <class Op, bool Rows, int R, class In, class Epilogue, class Sink>
    void reduce(Extents<R> out, Extents<R> reduced, double, In in, Epilogue epilogue, Sink sink) {
        l.reduce = reduce_problem<Rows>(out, reduced, in, epilogue, sink);
    }
    template <int R, class In, class Sink>
    void map(Extents<R> e, In in, Sink sink) {
        l.elementwise = elementwise_problem(e, in, sink);
    }
    template <class S>
    void publish_stats(const S&) {}
};

}  // namespace detail

/// Adds to a launch the reduction, or the elementwise work, that it is.
template <class K, class P>
void describe_reduce(const P& prepared, KernelReport& l) {
    detail::NotesReduce target{l};
    K::run(target, prepared);
}

}  // namespace inlay::inline INLAY_ABI
