// SPDX-License-Identifier: Apache-2.0
/// Conv2D over NHWC: y[b, y, x, o] = epilogue(Σ_{r,s,i} In[b, y·stride + r·dilation − pad, …, i] · w[o, r, s, i]).
///
/// Holes: input expression [B, H, W, C] (SiLU, concat, upsample, …), padded with zeros after it, also where f(0) ≠ 0;
/// epilogue over Out; sink. Operand: w [O, R, S, C / groups]. Accumulates in fp32. A 1×1 filter is a matrix product.
/// 2·B·Ho·Wo·O·R·S·C/groups FLOPs; moves input, weights and output once each.
#pragma once

#include <inlay/frame/base.hpp>
#include <inlay/frame/row_map.hpp>

namespace inlay::inline INLAY_ABI {

/// The static properties of a convolution. Padding may be lopsided: `after` rows and columns at the bottom and right.
template <int Rows, int Cols = Rows, int Stride = 1, int PadBefore = Rows / 2, int PadAfter = PadBefore,
          int Dilation = 1, int Groups = 1>
struct Filter {
    static constexpr int most = 1 << 28;  // coordinates of pixels have 32 bits
    static_assert(Rows >= 1 && Cols >= 1 && Stride >= 1 && Dilation >= 1 && Groups >= 1 && PadBefore >= 0 &&
                      PadAfter >= 0,
                  "inlay: a convolution's window, stride, dilation and groups are at least 1, its padding at least 0");
    static_assert(Rows < most && Cols < most && Stride < most && PadBefore < most && PadAfter < most &&
                      Dilation < most && index_t(Rows) * Cols < most && index_t(Rows) * Dilation < most &&
                      index_t(Cols) * Dilation < most,
                  "inlay: a convolution's window, stride, dilation and padding, and window times dilation, are below "
                  "2^28");
    static constexpr int rows = Rows, cols = Cols, stride = Stride, before = PadBefore, after = PadAfter,
                         dilation = Dilation, groups = Groups;
    static constexpr index_t extent(index_t in, int taps) {
        const index_t span = in + before + after - (taps - 1) * dilation - 1;
        return span < 0 ? 0 : span / stride + 1;
    }
};

/// The rows of the operand of an implicit product: row m, segment s is the input's pixel under tap s of output pixel m.
/// The window's rows, then its columns. In 32 bits: extents of the input are below 2^30.
template <class Win>
struct Taps {
    using window = Win;
    static constexpr int rank = 4;
    static constexpr bool pads = true;
    static constexpr int segments = Win::rows * Win::cols;
    struct Row {
        int image, y, x, channel;  ///< the pixel under tap 0, possibly outside the image
    };
    Extents<4> pixels;      ///< of the output, one channel
    index_t height, width;  ///< of the input
    index_t channels;       ///< of a group

    INLAY_FN constexpr Row row(index_t group, index_t m) const {
        const Extents<4> c = unravel(m, pixels);
        return {static_cast<int>(c[0]), static_cast<int>(c[1]) * Win::stride - Win::before,
                static_cast<int>(c[2]) * Win::stride - Win::before, static_cast<int>(group * channels)};
    }
    INLAY_FN constexpr bool at(const Row& row, index_t tap, Extents<4>& c) const {
        const int t = static_cast<int>(tap), y = row.y + t / Win::cols * Win::dilation,
                  x = row.x + t % Win::cols * Win::dilation;
        c = {{row.image, y, x, row.channel}};
        return y >= 0 && y < height && x >= 0 && x < width;
    }
};

static_assert(WindowRowMap<Taps<Filter<3>>>);

/// The place of an implicit product's result: row m is an output pixel, block `group` its channels from group·n on.
struct Pixels {
    Extents<4> pixels;
    index_t n;
    template <class I>
    INLAY_FN constexpr Extents<4> operator()(I group, I m) const {
        Extents<4> c = unravel(m, pixels);
        c[3] = group * n;
        return c;
    }
};

template <class Win, class In = Buf<0>, class Epilogue = Out, class S = Store<0>, class Schedule = Auto>
struct Conv2D : frame_tag {
    static_assert(detail::is_schedule<Schedule>, "inlay: the schedule of Conv2D is Auto or Tiled<M, N, K>");
    static_assert(requires { Win::rows; Win::groups; },
                  "inlay: the first argument of Conv2D is a Filter, such as Filter<3>");
    using window = Win;
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 1;
    static constexpr const char* kind = "conv2d";
    using calls = matmul_member;
    static constexpr bool channels_last = true;  // [B, ..., C]: an operand [B, C] would be read as [W, C]

    struct Work : Problem<4> {
        Extents<4> in;
        index_t m, n, k;  // per group: pixels, output channels, input channels
    };

    template <int R, class W>
    static auto shape(const Extents<R>& in, const W& w) {
        static_assert(R == 4, "inlay: the input of Conv2D has extents [B, H, W, C]");
        static_assert(W::rank == 4, "inlay: the weight of Conv2D has extents [O, R, S, C / groups]");
        const Extents<4>& e = w.extents;
        check_weight<Conv2D>(w, Win::groups);
        require(e[1] == Win::rows && e[2] == Win::cols, name<Conv2D>(), ": the weight ", text(e), " is not ", Win::rows,
                "x", Win::cols, " (PyTorch's [O, C, R, S] is permuted to [O, R, S, C])");
        require(e[0] % Win::groups == 0, name<Conv2D>(), ": the ", e[0], " output channels of the weight ", text(e),
                " are not a multiple of ", Win::groups, " groups");
        require(checked_product(e[3], Win::groups) == in[3], name<Conv2D>(), ": the input ", text(in), " has ", in[3],
                " channels (the last extent: images are NHWC), the weight ", text(e), " takes ", e[3], " in each of ",
                Win::groups, " groups");
        for (int i = 0; i < 4; ++i)
            require(in[i] < index_t(1) << 30, name<Conv2D>(), ": the input ", text(in),
                    " has an extent of 2^30 or more");
        Work p{};
        p.in = in;
        p.out = {{in[0], Win::extent(in[1], Win::rows), Win::extent(in[2], Win::cols), e[0]}};
        constexpr index_t padding = index_t(Win::before) + Win::after;
        require(p.out[1] > 0 && p.out[2] > 0, name<Conv2D>(), ": the window is larger than the padded image ",
                text(Extents<4>{{in[0], in[1] + padding, in[2] + padding, in[3]}}));
        p.m = checked_product(in[0], checked_product(p.out[1], p.out[2]));
        p.n = e[0] / Win::groups;
        p.k = e[3];
        p.flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(e[0]) * Win::rows * Win::cols *
                  static_cast<double>(p.k);
        return p;
    }

    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        const Work& work = p.problem;
        const Extents<4> pixels{{work.out[0], work.out[1], work.out[2], 1}};
        target.template matmul<Schedule>(
            {Win::groups, work.m, work.n, Win::rows * Win::cols, work.k}, get<0>(p.weights), get<0>(p.in),
            Taps<Win>{pixels, work.in[1], work.in[2], work.k}, p.epilogue, p.sink, Pixels{pixels, work.n});
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
