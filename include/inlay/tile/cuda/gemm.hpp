// SPDX-License-Identifier: Apache-2.0
/// C[b, m, n] = Σ_s Σ_k A[b, m, s, k] · W[b, n, s·K + k] with the portable matrix engine, through epilogue and sink.
///
/// A is an expression at `rows`, W lies row by row, C leaves at `place`. 2 · batch · m · n · segments · k FLOPs; moves
/// A once for each column of tiles and W once for each row of tiles, mostly from the second-level cache, and C once.
/// Accumulates in fp32. Every sum has one order, so runs are bitwise equal; it depends on the extents and the device.
#pragma once

#include <inlay/tile/cuda/mma/gemm/gemv.hpp>
#include <inlay/tile/cuda/runtime/target.hpp>
#include <inlay/tile/cuda/wgmma/gemm/launch.hpp>
#include <inlay/tile/gpu/gemm/launch.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <class T>
struct MmaTables {
    template <const auto& Table, int I>
    using atom = Atom<T>;
};

/// The tile of short segments.
template <class T>
using GatherTileOf = TileOf<Atom<T>, sizeof(T) == 4 ? mma_gather_fp32 : mma_gather>;

/// A schedule of the portable engine's tables.
template <class T, Images In, class Args>
void launch_portable(Launcher& l, Args& a, const Choice& choice) {
    if constexpr (std::is_same_v<T, float>) launch_chosen<MmaTables<T>, mma_matrix_fp32, In>(l, a, choice);
    else if constexpr (is_copied_of<T, typename Args::In>) launch_chosen<MmaTables<T>, mma_matrix, In>(l, a, choice);
    else launch_chosen<MmaTables<T>, mma_evaluated, In>(l, a, choice);
}

/// A product in the type of its weights, as decided; what a decision cannot be for its types is not compiled.
/// `converts`: they were converted to it.
template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
void matmul_in_type(Launcher& l, const MatmulShape& s, const W& w, const In& in, const Rows& rows,
                    const Epilogue& epilogue, const Sink& sink, const Place& place, bool converts) {
    using T = std::remove_const_t<typename W::value_type>;
    if constexpr (requires { Schedule::m; }) {
        auto a = matmul_args(s, w, in, rows, epilogue, sink, place);
        launch_tiled<Atom<T>, Schedule, Images::all>(l, a);
    } else {
        constexpr bool wgmma = can_wgmma<T, In, Rows, Epilogue>;
        const TargetInfo target = target_of(l.device());
        const GemmFacts facts =
            gemm_facts<Schedule, Epilogue>(s, weights_of(w), in, rows, sink, converts, target.sm90a);
        const GemmDecision decision = decide(facts.problem, target);
        if constexpr (wgmma)
            if (decision.engine == GemmEngine::wgmma)
                return wgmma_gemm(l, s, w, in, rows, epilogue, sink, place, facts, decision);
        auto a = matmul_args(s, w, in, rows, epilogue, sink, place);
        switch (decision.engine) {
            case GemmEngine::gemv:
                if constexpr (!gated<typename Epilogue::expression> && can_stream_weights<Rows>) gemv(l, a);
                break;
            case GemmEngine::gather:
                if constexpr (Rows::segments > 1) gather<GatherTileOf<T>, Images::all>(l, a);
                break;
            case GemmEngine::fallback:
                if constexpr (wgmma)
                    launch_chosen<MmaTables<T>, mma_fallback, Images::with_sm90a>(l, a, decision.choice);
                break;
            default:
                launch_portable<T, wgmma ? Images::without_sm90a : Images::all>(l, a, decision.choice);
        }
    }
}

}  // namespace detail

/// Weights are a dense Tensor or Packed of fp16, bf16 or float; extents fit 30 bits. `rows`, `place`:
/// `frame/base.hpp`.
template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
void matmul(Launcher& l, const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
            const Sink& sink, const Place& place) {
    using Stored = std::remove_const_t<typename W::value_type>;
    using T = product_type<Stored, In>;
    static_assert(std::is_same_v<Stored, fp16> || std::is_same_v<Stored, bf16> || std::is_same_v<Stored, float>,
                  "inlay: the weights of a matrix product on CUDA are fp16, bf16 or float");
    if (s.batch <= 0 || s.m <= 0 || s.n <= 0) return;
    detail::with_weights<T>(l, w, [&](const auto& weights, bool converts) {
        detail::matmul_in_type<Schedule>(l, s, weights, multiplied_input<T>(in), rows, epilogue, sink, place, converts);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
