// SPDX-License-Identifier: Apache-2.0
/// GroupNorm on a device of CUDA: by clusters of sm_90a where a cluster can keep a range of channels, else by the
/// portable kernel, cooperative or alone.
#pragma once

#include <inlay/tile/cuda/runtime/image.hpp>
#include <inlay/tile/cuda/wgmma/norm/group_norm.hpp>
#include <inlay/tile/gpu/norm/group_norm.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// (x − mean) / √(var + eps) · γ + β over e = [B, ..., C], mean and variance of each of Groups groups of channels
/// over all axes but the first; then the epilogue and the sink. Throws where a group is too wide to be merged in one
/// block.
template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
void group_norm(Launcher& l, const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                const Epilogue& epilogue, const Sink& sink) {
    if (count(e) == 0) return;
    const index_t pixels = count(e) / (e[0] * e[R - 1]);
    const bool clusters = has_sm90a(l.device());
    read_and_written(e, in, epilogue, sink, [&](const auto& source, const auto& where, const auto& drain) {
        using Source = std::remove_cvref_t<decltype(source)>;
        constexpr int element = static_cast<int>(sizeof(typename Source::element));
        if (clusters) {
            const auto plan = GroupNormClusters::of(l.device(), e[0], pixels, e[R - 1], Groups, element);
            if (plan.span > 0) return group_norm(l, plan, source, where, eps, gamma, beta, epilogue, drain);
        }
        const auto plan =
            GroupNormPlan::of(l.device(), e[0], pixels, e[R - 1], Groups, element, Source::threads);
        group_norm(l, plan, source, where, eps, gamma, beta, epilogue, drain);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
