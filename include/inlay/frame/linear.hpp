// SPDX-License-Identifier: Apache-2.0
/// Linear: y[..., n] = epilogue(Σ_k In[..., k] · w[n, k]), PyTorch's layout of w.
///
/// Holes: input expression [..., M, K]; epilogue over Out (bias, residual, activation); sink (permuted, partitioned).
/// Operand: w [N, K], or [B, N, K] for a product batched over the first axis of the input. Accumulates in fp32.
/// 2·M·N·K FLOPs; moves the input, w and the output once each.
///
/// An epilogue that names OutGate is gated: it reads two sums at each n, of two rows of w, which then has 2·N: of 32
/// rows, rows 0 to 15 are those of Out and 16 to 31 those of OutGate (a planned layer's are brought into this order as
/// they are loaded), N a multiple of 16.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/frame/base.hpp>
#include <inlay/frame/row_map.hpp>

namespace inlay::inline INLAY_ABI {

/// Rows of a matrix that are the rows of a tensor: row m of block `batch` begins at this coordinate. As the rows of an
/// operand (`row`, `at`) and as the place of a result (the call).
template <int R>
struct TensorRows {
    static constexpr int rank = R;
    static constexpr bool pads = false;
    static constexpr int segments = 1;
    using Row = Extents<R>;
    Extents<R> lead;    ///< extents of all axes but the last, which is 1 here
    index_t m;          ///< rows of a block

    template <class I>
    INLAY_FN constexpr Row row(I batch, I i) const {
        return unravel(static_cast<I>(batch * static_cast<I>(m) + i), lead);
    }
    INLAY_FN constexpr bool at(const Row& row, index_t, Extents<R>& c) const {
        c = row;
        return true;
    }
    template <class I>
    INLAY_FN constexpr Extents<R> operator()(I batch, I i) const {
        return row(batch, i);
    }
};
static_assert(TensorRowMap<TensorRows<2>>);

template <class In = Buf<0>, class Epilogue = Out, class S = Store<0>, class Schedule = Auto>
struct Linear : frame_tag {
    static_assert(detail::is_schedule<Schedule>, "inlay: the schedule of Linear is Auto or Tiled<M, N, K>");
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 1;
    static constexpr const char* kind = "linear";
    using calls = matmul_member;
    static constexpr bool gated = inlay::gated<Epilogue>;

    template <int R>
    struct Work : Problem<R> {
        index_t batch, m, n, k;
    };

    template <int R, class W>
    static auto shape(const Extents<R>& in, const W& w) {
        static_assert(R >= 2, "inlay: the input of Linear has extents [..., M, K]");
        static_assert(W::rank == 2 || W::rank == 3, "inlay: the weight of Linear has extents [N, K] or [B, N, K]");
        check_weight<Linear>(w);
        Work<R> p{{in, 0}, 1, 0, w.extents.back(1), w.extents.back(0)};
        require(in.back(0) == p.k, name<Linear>(), ": the input ", text(in), " has K = ", in.back(0), ", the weight ",
                text(w.extents), " has K = ", p.k);
        if constexpr (W::rank == 3) {
            p.batch = w.extents[0];
            require(in[0] == p.batch, name<Linear>(), ": the input ", text(in), " and the weight ", text(w.extents),
                    " have different batches");
        }
        if constexpr (gated) {
            require(p.n % 32 == 0, name<Linear>(), ": the weight ", text(w.extents), " has ", p.n,
                    " rows, expected pairs of 16");
            p.out.back(0) = p.n / 2;
        } else {
            p.out.back(0) = p.n;
        }
        p.m = 1;
        for (int i = W::rank - 2; i < R - 1; ++i) p.m *= in[i];
        p.flops = 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n) *
                  static_cast<double>(p.k);
        return p;
    }

    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        const auto& work = p.problem;
        auto lead = work.out;
        lead.back(0) = 1;
        const TensorRows<std::remove_cvref_t<decltype(lead)>::rank> rows{lead, work.m};
        target.template matmul<Schedule>({work.batch, work.m, work.n, 1, work.k}, get<0>(p.weights), get<0>(p.in), rows,
                                         p.epilogue, p.sink, rows);
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
