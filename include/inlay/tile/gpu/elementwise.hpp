// SPDX-License-Identifier: Apache-2.0
/// Elementwise work on a GPU: every thread evaluates the expression for one chunk of 16 bytes of the output, or for
/// four side by side (`most_chunks_of_thread`).
///
/// One, also of tensors that fill the device: with two or four, the bytes under way lie in more places of memory, and a
/// copy of 128 MB on an H200 takes 1 and 4 % longer.
#pragma once

#include <inlay/plan/elementwise.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// `chunks`: the result with its last axis counted in the chunks of a thread; `total`: threads that have work.
template <int N, int R, class In, class Sink, int AtOnce = 1>
struct MapBody {
    struct Arguments {
        Unravel<R> chunks;
        index_t total;
        index_t width;
        In in;
        Sink sink;
    };
    static constexpr int threads = ElementwiseDecision::threads, min_blocks = 0;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const auto& [chunks, total, width, in, sink] = arguments;
        using T = stored_by<Sink>;
        constexpr int all = N * AtOnce;
        constexpr bool finds = found_without_reading<typename flatten<typename In::expression>::values>;
        const index_t i = work.template tile<index_t>() * threads + thread_index<index_t>();
        Extents<R> c = chunks(i < total ? i : total - 1);   // out-of-range threads clamp to the last chunk
        c.back(0) *= all;
        if constexpr (!finds) after_previous_kernel();
        const RowReader<N, In, R, T> from(in, c, all);
        const RowWriter<N, Sink, R> to(sink, c, all);
        if constexpr (finds) after_previous_kernel();
        if (i >= total) return;
        const index_t left = width - c.back(0);
        if (left >= all && from.dense() && to.dense()) {
            INLAY_UNROLL
            for (int j = 0; j < all; j += N) to.store(j, from[j]);
            return;
        }
        for (int j = 0; j < all && j < left; j += N, c.back(0) += N) {
            const int n = left - j < N ? static_cast<int>(left - j) : N;
            write_chunk<N>(sink, c, n, read_chunk<N, T>(in, c, n));
        }
    }
};

}  // namespace detail

/// sink = in at every coordinate of e.
template <int R, class In, class Sink>
void map(Launcher& l, Extents<R> e, In in, Sink sink) {
    const ElementwiseProblem p = elementwise_problem(e, in, sink);
    if (p.rows == 0) return;
    const ElementwiseDecision d = decide(p, target_of(l.device()));
    Extents<R> chunks = e;
    chunks.back(0) = p.threads() / p.rows;
    const auto launch = [&]<int AtOnce>(std::integral_constant<int, AtOnce>) {
        l.launch<detail::MapBody<sink_lanes<Sink>, R, In, Sink, AtOnce>>(
            {.blocks = d.blocks, .threads = d.threads, .overlaps = true},
            {Unravel<R>(chunks), p.threads(), p.width, in, sink});
    };
    constexpr int most = most_chunks_of_thread<typename In::expression>;
    if constexpr (most > 1)
        if (p.at_once > 1) return launch(std::integral_constant<int, most>{});
    launch(std::integral_constant<int, 1>{});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
