// SPDX-License-Identifier: Apache-2.0
/// Im2col: the patches of an NHWC tensor as rows, [B, H, W, C] → [B, Ho, Wo, R·S·C], zero outside the image.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

template <class E, index_t Rows, index_t Cols, index_t Stride, index_t PadRows, index_t PadCols>
struct Im2col : view<E> {
    static constexpr index_t most = index_t(1) << 30;
    static_assert(Rows >= 1 && Cols >= 1 && Stride >= 1, "inlay: Im2col needs a window and a stride of at least 1");
    static_assert(PadRows >= 0 && PadCols >= 0, "inlay: Im2col pads by at least 0; negative padding is a Slice");
    static_assert(Rows < most && Cols < most && Stride < most && PadRows < most && PadCols < most,
                  "inlay: the numbers of Im2col are below 2^30");
    using key = Im2col;
    static constexpr bool piecewise = true;
    static constexpr int pieces = 1;
    static constexpr double fill = 0;
    template <int R>
    static constexpr int rank = 4;
    template <int R>
    static constexpr bool accepts = R == 4;
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Im2col reads a tensor [B, H, W, C]");
    }
    struct State {
        index_t h, w, c;
    };

    template <class Environment, int R>
    static State bind(const Environment&, const Extents<R>& in) {
        demand<accepts<R>>();
        return {in[1], in[2], in[3]};
    }
    template <class Environment, int R>
    static Extents<4> extents(const Environment&, const Extents<R>& in) {
        const index_t h = checked_sum(in[1], 2 * PadRows) - Rows, w = checked_sum(in[2], 2 * PadCols) - Cols;
        require(h >= 0 && w >= 0, name<Im2col>(), ": the window is larger than the padded image ",
                text(Extents<4>{{in[0], h + Rows, w + Cols, in[3]}}));
        return {{in[0], h / Stride + 1, w / Stride + 1, checked_product(Rows * Cols, in[3])}};
    }
    template <class W>
    INLAY_FN static W source(const State& s, const W& w) {
        const index_t tap = w.c[3] / s.c;
        W r = w;
        r.c[1] = w.c[1] * Stride - PadRows + tap / Cols;
        r.c[2] = w.c[2] * Stride - PadCols + tap % Cols;
        r.c[3] = w.c[3] - tap * s.c;
        return r;
    }
    INLAY_FN static int piece(const State& s, Walk<4>& w) {
        const auto r = source(s, w);
        if (w.axis == 3) w.limit(s.c - r.c[3]);
        else if (w.axis >= 1) w.limit(1);
        return r.c[1] >= 0 && r.c[1] < s.h && r.c[2] >= 0 && r.c[2] < s.w ? 0 : -1;
    }
    template <int K, class B>
    INLAY_FN static Walk<4> enter(const B&, const State& s, const Walk<4>& w) {
        return source(s, w);
    }
};

}  // namespace node

template <class E, auto Rows, auto Cols, auto Stride = 1, auto PadRows = 0, auto PadCols = PadRows>
using Im2col = node::Im2col<E, detail::index<Rows>, detail::index<Cols>, detail::index<Stride>, detail::index<PadRows>,
                            detail::index<PadCols>>;

template <auto Rows, auto Cols, auto Stride = 1, auto PadRows = 0, auto PadCols = PadRows, Expr E>
INLAY_FN constexpr Im2col<E, Rows, Cols, Stride, PadRows, PadCols> im2col(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
