// SPDX-License-Identifier: Apache-2.0
/// Rows by one of the ways that a row may be held, where it can be; the oracle knows what they should be.
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

/// `Way{}(launcher, extents, in, op, epilogue, sink)` returns true if it ran, as `expected`.
template <class Way>
struct RowsBy {
    static constexpr int schedule = 0;
    inlay::on_gpu::Launcher& l;
    int expected;

    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const inlay::Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        const bool done = Way{}(l, e, in, op, epilogue, sink);
        EXPECT_EQ(done, expected != 0);
        if (!done) inlay::on_gpu::rows(l, e, in, op, epilogue, sink);
    }
    template <class S>
    void publish_stats(const S&) {}
};

}  // namespace inlay_test
