// SPDX-License-Identifier: Apache-2.0
/// GroupNorm on a device of HIP: by teams of blocks, which meet by flags in memory. Their launch is cooperative so that
/// all are resident; none waits for the whole grid.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/plan/norm/decide.hpp>
#include <inlay/tile/gpu/norm/group_norm.hpp>
#include <inlay/tile/hip/runtime/target.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// (x − mean) / √(var + eps) · γ + β over e = [B, ..., C], mean and variance of each of Groups groups of channels
/// over all axes but the first; then the epilogue and the sink. Throws where a group is too wide to be merged in one
/// block.
template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
void group_norm(Launcher& l, const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                const Epilogue& epilogue, const Sink& sink) {
    if (count(e) == 0) return;
    const NormDecision d = decide(group_norm_problem<Groups>(e, in, epilogue, sink), target_of(l.device()));
    require(d.teams.span > 0, "GroupNorm: ", Groups, " groups of ", e[R - 1], " channels in ", e[0],
            " items are too wide or too many for this device");
    read_and_written(e, in, epilogue, sink, [&](const auto& source, const auto& where, const auto& drain) {
        group_norm(l, GroupNormPlan(d.teams), source, where, eps, gamma, beta, epilogue, drain);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
