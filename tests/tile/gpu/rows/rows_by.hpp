// SPDX-License-Identifier: Apache-2.0
/// Rows that the decision holds in one of the ways, or not; the oracle knows what they should be.
#pragma once

#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/frame/norm.hpp>
#include <inlay/frame/softmax.hpp>
#include <inlay/tile/gpu/rows/dispatch.hpp>

namespace inlay_test {

struct layer : inlay::LayerNorm<> {};
struct rms : inlay::RMSNorm<> {};
struct soft : inlay::Softmax<> {};
struct layer_silu : inlay::LayerNorm<inlay::Buf<0>, inlay::Silu<inlay::Out>> {};

/// Runs rows, whose decision is for `Engine`, or not, as `expected`.
template <inlay::NormEngine Engine>
struct RowsBy {
    static constexpr int schedule = 0;
    inlay::on_gpu::Launcher& l;
    int expected;

    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const inlay::Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        const inlay::NormProblem p = inlay::rows_problem(e, in, op, epilogue, sink);
        const inlay::NormEngine engine = decide(p, inlay::on_gpu::target_of(l.device())).engine;
        EXPECT_EQ(engine == Engine, expected != 0) << static_cast<int>(engine);
        inlay::on_gpu::rows(l, e, in, op, epilogue, sink);
    }
    template <class S>
    void publish_stats(const S&) {}
};

}  // namespace inlay_test
