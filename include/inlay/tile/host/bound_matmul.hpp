// SPDX-License-Identifier: Apache-2.0
/// The product of Linear and Conv2D on bound operands: rows of A are evaluated as the tile's loop reaches them, sums
/// leave through the epilogue and the sink.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/tile/host/matmul.hpp>
#include <inlay/tile/host/row.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::on_host {

/// `panels`: the weight as `pack_blocks` leaves it. `rows` maps a row and segment of A to a coordinate of `in`, and may
/// find padding there, which is 0; `place` maps a row of C to the coordinate of its first column.
template <Storage T, class In, class Rows, class Epilogue, class Sink, class Place>
void bound_matmul(Threads& threads, const MatmulShape& s, const T* panels, const In& in, const Rows& rows,
                  const Epilogue& epilogue, const Sink& sink, const Place& place) {
    const auto stage = [&](index_t batch, index_t m, index_t segment, index_t k0, index_t n, float* scratch) {
        decltype(place(batch, m)) c;
        if (!rows.at(rows.row(batch, m), segment, c)) {
            std::fill(scratch, scratch + n, 0.0f);
            return static_cast<const float*>(scratch);
        }
        c.back(0) += k0;
        return read_row(in, c, n, scratch);
    };
    const auto store = [&](index_t batch, index_t m, index_t j, index_t n, const float* acc) {
        auto c = place(batch, m);
        if constexpr (gated<typename Epilogue::expression>) {
            c.back(0) += j / 2;
            epilogue_gated(epilogue, sink, c, n / 2, acc);
        } else {
            c.back(0) += j;
            finish(epilogue, sink, c, n, acc);
        }
    };
    matmul(threads, s, stage, panels, s.batch > 1 ? packed_size(s.n, s.segments * s.k) : 0, store);
}

}  // namespace inlay::inline INLAY_ABI::on_host
