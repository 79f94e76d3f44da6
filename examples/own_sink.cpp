// SPDX-License-Identifier: Apache-2.0
/// A sink that Inlay does not have, added from outside: an image of four times as many pixels from groups of four
/// channels, as the last layer of a super-resolution network stores it. No pass of its own moves the pixels.
#include "example.hpp"

#include <algorithm>

using namespace inlay;
using example::random, example::zeros;

/// [B, H, W, 4·C] to [B, 2H, 2W, C]: channel (2r + s)·C + c of a pixel becomes channel c of its neighbour r below, s
/// to the right.
template <class S>
struct PixelShuffle : sink_expression {
    using children = types<S>;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R;  // of the result, from that of what is stored
    template <int R>
    static constexpr bool accepts = R == 4;
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "PixelShuffle stores images [B, 2H, 2W, C]");
    }
    struct State {
        index_t channels;
    };
    template <int R>
    static State bind(const Extents<R>& stored) {
        return {stored[3]};
    }
    /// Extents of the result, from those stored.
    template <int R>
    static Extents<R> extents(const Extents<R>& stored) {
        require(stored[1] % 2 == 0 && stored[2] % 2 == 0, "PixelShuffle stores ", text(stored),
                ", expected even numbers of rows and columns");
        return {{stored[0], stored[1] / 2, stored[2] / 2, 4 * stored[3]}};
    }
    /// Ends the run of a walk where neighbours in the result are no longer neighbours in memory.
    template <int R>
    INLAY_FN static int piece(const State& s, Walk<R>& w) {
        if (w.axis == 3) w.limit(s.channels - w.c[3] % s.channels);
        else if (w.axis != 0) w.limit(1);
        return 0;
    }
    /// The walk in the output that belongs to one in the result.
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const State& s, const Walk<R>& w) {
        Walk<R> r = w;
        const index_t group = w.c[3] / s.channels;
        r.c[1] = 2 * w.c[1] + group / 2;
        r.c[2] = 2 * w.c[2] + group % 2;
        r.c[3] = w.c[3] % s.channels;
        return r;
    }
};

/// Bias and ReLU as it writes, each pixel where it belongs.
struct enlarge : Conv2D<Filter<3>, Buf<0>, Relu<Add<Out, Buf<1>>>, PixelShuffle<Store<0>>> {};

int main() {
    const index_t height = 6, width = 10, in = 16, c = 3;
    auto x = random(1, 1, 1, height, width, in), w = random(2, 0.2f, 4 * c, 3, 3, in);
    auto bias = random(3, 1, 4 * c);
    auto y = zeros(1, 2 * height, 2 * width, c);

    const auto kernel = prepare<enlarge>(*y, *w, *x, *bias);
    Host cpu;
    kernel.run(cpu);

    // A plain loop over the pixels of the result, without walks.
    std::vector<double> expected;
    for (index_t row = 0; row < 2 * height; ++row)
        for (index_t col = 0; col < 2 * width; ++col)
            for (index_t k = 0; k < c; ++k) {
                const index_t channel = (row % 2 * 2 + col % 2) * c + k;
                double sum = (*bias)({{channel}});
                for (index_t tap = 0; tap < 9; ++tap) {
                    const index_t i = row / 2 + tap / 3 - 1, j = col / 2 + tap % 3 - 1;
                    if (i < 0 || i >= height || j < 0 || j >= width) continue;
                    for (index_t l = 0; l < in; ++l)
                        sum += (*x)({{0, i, j, l}}) * (*w)({{channel, tap / 3, tap % 3, l}});
                }
                expected.push_back(std::max(sum, 0.0));
            }
    std::printf("%s\n", name<enlarge::sink>().c_str());
    bool ok = example::agrees("against a plain loop", y.data, expected);
    try {
        auto odd = zeros(1, 11, 20, c);
        prepare<enlarge>(*odd, *w, *x, *bias);
        ok = false;
    } catch (const Error& e) {
        std::printf("%s\n", e.what());
    }
    return ok ? 0 : 1;
}
