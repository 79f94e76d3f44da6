// SPDX-License-Identifier: Apache-2.0
/// The records that a `WithRowStats` sink publishes, from the stored result, where no product has published them: one
/// kernel, which reads the output once, eight lanes a row.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/tile/gpu/epilogue/row_stats.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class Sink>
struct RowStatsBody {
    struct Arguments {
        Sink sink;
        index_t rows;
    };
    static constexpr int threads = 256, min_blocks = 0, rows_of_block = threads / detail::lanes_of_row;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& a, Tiles work, char*) {
        const auto& y = get<inlay::detail::row_stats_source<typename Sink::sink>>(a.sink.outs);
        const index_t row = index_t(work.tile()) * rows_of_block + thread_index() / detail::lanes_of_row;
        const bool there = row < a.rows;
        const int columns = static_cast<int>(y.extents.back(0));
        auto lead = y.extents;
        lead.back(0) = 1;
        const auto c = unravel(there ? row : index_t(0), lead);
        after_previous_kernel();
        const MeanM2 moments = detail::stored_moments(&y(c), y.strides.back(0), there ? columns : 0);
        if (there && lane_index() % detail::lanes_of_row == 0)
            write_row_part(a.sink, c, RowPart{0, 0, columns, columns}, moments);
    }
};

/// One part a row, if the sink publishes rows and no product has: `Launcher::rows_published`.
template <class Sink>
void publish_row_stats(Launcher& l, const Sink& sink) {
    if constexpr (publishes_rows<Sink>) {
        if (l.take_rows_published()) return;
        const auto& y = get<inlay::detail::row_stats_source<typename Sink::sink>>(sink.outs).extents;
        if (count(y) == 0) return;
        require(y.back(0) < index_t(1) << 24, "the statistics of rows of ", y.back(0), " columns are too many");
        using Body = RowStatsBody<Sink>;
        const index_t rows = count(y) / y.back(0);
        l.launch<Body>({.blocks = (rows + Body::rows_of_block - 1) / Body::rows_of_block,
                        .threads = Body::threads,
                        .overlaps = true},
                       {sink, rows});
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
