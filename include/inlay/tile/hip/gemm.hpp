// SPDX-License-Identifier: Apache-2.0
/// C[b, m, n] = Σ_s Σ_k A[b, m, s, k] · W[b, n, s·K + k] on a device of HIP, through epilogue and sink: portable tiles
/// over the atoms of its architecture.
///
/// A is an expression at `rows`, W lies row by row, C leaves at `place`. 2 · batch · m · n · segments · k FLOPs; moves
/// A once for each column of tiles and W once for each row of tiles, mostly from the second-level cache, and C once.
/// Accumulates in fp32. Every sum has one order, so runs are bitwise equal; it depends on the extents and the device.
#pragma once

#include <inlay/tile/gpu/gemm/launch.hpp>
#include <inlay/tile/hip/runtime/target.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// The tables of gfx9, whose kernels gfx11's images leave out, and the other way round.
template <class T>
struct Mfma {
    static constexpr bool fp32 = std::is_same_v<T, float>;
    static constexpr Images images = Images::cdna;
    using Narrow = MfmaAtom<T>;
    template <const auto& Table, int I>
    using atom = std::conditional_t<has_wide_atoms(Table[I], fp32), MfmaWideAtom<T>, MfmaAtom<T>>;
    using Gather = TileOf<Narrow, fp32 ? mfma_gather_fp32 : mfma_gather>;

    template <class Args>
    static void launch(Launcher& l, Args& a, const Choice& choice) {
        if constexpr (!is_copied_of<T, typename Args::In>) launch_chosen<Mfma, mfma_evaluated, images>(l, a, choice);
        else if constexpr (fp32) launch_chosen<Mfma, mfma_matrix_fp32, images>(l, a, choice);
        else launch_chosen<Mfma, mfma_matrix, images>(l, a, choice);
    }
};
template <class T>
struct Wmma {
    static constexpr bool fp32 = std::is_same_v<T, float>;
    static constexpr Images images = Images::rdna;
    using Narrow = WmmaAtom<T>;
    template <const auto&, int>
    using atom = WmmaAtom<T>;
    using Gather = TileOf<Narrow, fp32 ? wmma_gather_fp32 : wmma_gather>;

    template <class Args>
    static void launch(Launcher& l, Args& a, const Choice& choice) {
        if constexpr (!is_copied_of<T, typename Args::In>) launch_chosen<Wmma, wmma_evaluated, images>(l, a, choice);
        else if constexpr (fp32) launch_chosen<Wmma, wmma_matrix_fp32, images>(l, a, choice);
        else launch_chosen<Wmma, wmma_matrix, images>(l, a, choice);
    }
};

/// A product in the type of its weights, as decided, on one architecture's matrix unit.
template <class Unit, class Schedule, class Args>
void matmul_on(Launcher& l, Args& a, const GemmDecision& decision) {
    if constexpr (requires { Schedule::m; }) {
        launch_tiled<typename Unit::Narrow, Schedule, Unit::images>(l, a);
    } else if (decision.engine == GemmEngine::gather) {
        if constexpr (Args::Rows::segments > 1) gather<typename Unit::Gather, Unit::images>(l, a);
    } else {
        Unit::launch(l, a, decision.choice);
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
                  "inlay: the weights of a matrix product on HIP are fp16, bf16 or float");
    if (s.batch <= 0 || s.m <= 0 || s.n <= 0) return;
    detail::with_weights<T>(l, w, [&](const auto& weights, bool converts) {
        const auto input = multiplied_input<T>(in);
        const TargetInfo target = target_of(l.device());
        const GemmFacts facts =
            gemm_facts<Schedule, Epilogue>(s, weights_of(weights), input, rows, sink, converts, false);
        const GemmDecision decision = decide(facts.problem, target);
        auto a = matmul_args(s, weights, input, rows, epilogue, sink, place);
        if (target.matrix == MatrixUnit::mfma) detail::matmul_on<detail::Mfma<T>, Schedule>(l, a, decision);
        else detail::matmul_on<detail::Wmma<T>, Schedule>(l, a, decision);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
