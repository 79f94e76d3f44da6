// SPDX-License-Identifier: Apache-2.0
/// Arguments of a persistent launch's tasks from prepared kernels.
#pragma once

#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/tile/cuda/persistent/kernel_tasks.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Arguments of a linear layer's tiles, with the stages of their tile. Sums in slices need memory beside.
template <class Tile, class Prepared>
auto gemm_task(const Prepared& p, int slices) {
    const auto& work = p.problem;
    auto lead = work.out;
    lead.back(0) = 1;
    const TensorRows<std::remove_cvref_t<decltype(lead)>::rank> rows{lead, work.m};
    auto a = matmul_args(MatmulShape{work.batch, work.m, work.n, 1, work.k}, get<0>(p.weights), get<0>(p.in), rows,
                         p.epilogue, p.sink, rows);
    detail::divide_into_tiles<Tile>(a, slices);
    a.streams = ~0u, a.stages = Tile::stages, a.slots = 1, a.stage_bytes = Tile::a_bytes + Tile::b_bytes;
    return a;
}

/// Arguments of an attention's tiles, over all keys each.
template <class Tile, class Prepared>
auto attention_task(const Prepared& p) {
    using Algebra = AttentionAlgebra<typename Prepared::frame::form>;
    const auto& w = p.problem;
    const AttentionShape s{w.out[0], w.heads, w.group, w.queries, w.keys};
    using Q = std::remove_cvref_t<decltype(get<0>(p.in))>;
    using K = std::remove_cvref_t<decltype(get<1>(p.in))>;
    using V = std::remove_cvref_t<decltype(get<2>(p.in))>;
    using Arguments = flash::Arguments<typename Tile::T, Q, K, V, std::remove_cvref_t<decltype(p.epilogue)>,
                                       std::remove_cvref_t<decltype(p.sink)>, std::remove_cvref_t<decltype(p.inner)>>;
    const index_t key_heads = s.heads / s.group;
    return Arguments{{},
                     flash::grid_shape<Tile, Algebra>(s, 1),
                     {get<0>(p.in), {{s.batch, s.heads, s.queries, Tile::d}}},
                     {get<1>(p.in), {{s.batch, key_heads, s.keys, Tile::d}}},
                     {get<2>(p.in), {{s.batch, key_heads, s.keys, Tile::ValueRow::d}}},
                     p.epilogue,
                     p.sink,
                     p.inner};
}

namespace detail {

template <class Prepared>
auto row_operation(const Prepared& p, double epsilon) {
    const auto &gamma = get<0>(p.weights), &beta = get<1>(p.weights);
    using Row = LayerNormRow<std::remove_cvref_t<decltype(gamma)>, std::remove_cvref_t<decltype(beta)>>;
    return Row{gamma, beta, epsilon};
}

}  // namespace detail

/// The tasks of a LayerNorm [rows, C], by blocks of `threads` threads, of which a row has `row_threads`.
template <class Prepared>
using LayerNormTasks =
    RowTasks<detail::RowsBody<8, 2, std::remove_cvref_t<decltype(get<0>(std::declval<const Prepared&>().in))>,
                              decltype(detail::row_operation(std::declval<const Prepared&>(), 0.0)),
                              std::remove_cvref_t<decltype(std::declval<const Prepared&>().epilogue)>,
                              std::remove_cvref_t<decltype(std::declval<const Prepared&>().sink)>>>;
template <class Prepared>
typename LayerNormTasks<Prepared>::Arguments layer_norm_task(const Prepared& p, double epsilon, int group_rows,
                                                             int threads, int row_threads) {
    Extents<2> lead = p.problem.out;
    const int channels = static_cast<int>(lead[1]);
    lead.back(0) = 1;
    return {{Unravel<2>(lead), lead[0], channels, row_threads, (channels / 8 + row_threads - 1) / row_threads, false,
             get<0>(p.in), detail::row_operation(p, epsilon), p.epilogue, p.sink},
            group_rows / (threads / row_threads)};
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
