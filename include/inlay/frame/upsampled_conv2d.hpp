// SPDX-License-Identifier: Apache-2.0
/// A 3×3 convolution over NHWC of an image upsampled by 2 to the nearest pixel, [B, H, W, C] → [B, 2H, 2W, O], by the
/// four phases of the output pixel: each is a 2×2 convolution of the image itself, so it does 4/9 of the work.
///
/// Phase 2p + q has the output pixels (2y + p, 2x + q), whose taps are the pixels from (y + p − 1, x + q − 1) on.
/// Holes: input expression [B, H, W, C], padded with zeros after it; epilogue over Out, by output pixels; sink.
/// Operand: w [4, O, 4·C], which `rules::phase_weights` sums from [O, 3, 3, C]: `rewrite/upsample_conv.hpp` has the
/// proof. Accumulates in fp32. 2·B·4HW·O·4·C FLOPs; moves input, weights and output once each.
#pragma once

#include <inlay/frame/conv2d.hpp>

namespace inlay::inline INLAY_ABI {

/// The rows of a phase's operand: row m, segment s is the input's pixel under tap s of the phase's output pixel m.
struct PhaseTaps {
    using window = Filter<2, 2, 1, 1, 1>;
    static constexpr int phases = 4;
    static constexpr int rank = 4;
    static constexpr bool pads = true;
    static constexpr int segments = 4;
    struct Row {
        int image, y, x;  ///< the pixel under tap 0, possibly outside the image
    };
    Extents<4> pixels;      ///< of a phase, as many as the input has, one channel
    index_t height, width;  ///< of the input
    index_t channels;

    INLAY_FN constexpr Row row(index_t phase, index_t m) const {
        const Extents<4> c = unravel(m, pixels);
        return {static_cast<int>(c[0]), static_cast<int>(c[1] + phase / 2) - 1,
                static_cast<int>(c[2] + phase % 2) - 1};
    }
    INLAY_FN constexpr bool at(const Row& row, index_t tap, Extents<4>& c) const {
        const int y = row.y + static_cast<int>(tap / 2), x = row.x + static_cast<int>(tap % 2);
        c = {{row.image, y, x, 0}};
        return y >= 0 && y < height && x >= 0 && x < width;
    }
};

static_assert(PhasedRowMap<PhaseTaps>);

/// The place of a phase's result: row m is one of its pixels among those of all.
struct PhasePixels {
    Extents<4> pixels;
    template <class I>
    INLAY_FN constexpr Extents<4> operator()(I phase, I m) const {
        Extents<4> c = unravel(m, pixels);
        c[1] = 2 * c[1] + phase / 2;
        c[2] = 2 * c[2] + phase % 2;
        return c;
    }
};

template <class In = Buf<0>, class Epilogue = Out, class S = Store<0>, class Schedule = Auto>
struct UpsampledConv2D : frame_tag {
    static_assert(detail::is_schedule<Schedule>, "inlay: the schedule of UpsampledConv2D is Auto or Tiled<M, N, K>");
    using window = PhaseTaps::window;
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 1;
    static constexpr const char* kind = "upsampled_conv2d";
    using calls = matmul_member;
    static constexpr bool channels_last = true;  // as of Conv2D

    struct Work : Problem<4> {
        Extents<4> in;
        index_t m, n, k;  // of a phase: pixels, output channels, input channels
    };

    template <int R, class W>
    static auto shape(const Extents<R>& in, const W& w) {
        static_assert(R == 4, "inlay: the input of UpsampledConv2D has extents [B, H, W, C]");
        static_assert(W::rank == 3, "inlay: the weight of UpsampledConv2D has extents [4, O, 4 * C]");
        const Extents<3>& e = w.extents;
        check_weight<UpsampledConv2D>(w);
        require(e[0] == PhaseTaps::phases, name<UpsampledConv2D>(), ": the weight ", text(e), " has ", e[0],
                " phases, expected 4 (the filter [O, 3, 3, C] goes through phase_weights)");
        for (int i = 0; i < 4; ++i)
            require(in[i] < index_t(1) << 29, name<UpsampledConv2D>(), ": the input ", text(in),
                    " has an extent of 2^29 or more");
        require(e[2] == PhaseTaps::segments * in[3], name<UpsampledConv2D>(), ": the input ", text(in), " has ", in[3],
                " channels (the last extent: images are NHWC), the weight ", text(e), " takes ", e[2],
                " / 4 under its four taps");
        Work p{};
        p.in = in;
        p.out = {{in[0], 2 * in[1], 2 * in[2], e[1]}};
        p.m = checked_product(in[0], checked_product(in[1], in[2]));
        p.n = e[1];
        p.k = in[3];
        p.flops = 2.0 * PhaseTaps::phases * static_cast<double>(p.m) * static_cast<double>(p.n) * PhaseTaps::segments *
                  static_cast<double>(p.k);
        return p;
    }

    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        const Work& work = p.problem;
        const Extents<4> pixels{{work.in[0], work.in[1], work.in[2], 1}};
        target.template matmul<Schedule>({PhaseTaps::phases, work.m, work.n, PhaseTaps::segments, work.k},
                                         get<0>(p.weights), get<0>(p.in),
                                         PhaseTaps{pixels, work.in[1], work.in[2], work.k}, p.epilogue, p.sink,
                                         PhasePixels{pixels});
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
