// SPDX-License-Identifier: Apache-2.0
/// Windows of 3×3 at stride 1: tiles that read A from halo tiles.
#include "../cuda/target.hpp"
#include "tune.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;
using cuda::HopperTile;

template <class T>
using Halos = tune::tiles<HopperTile<T, 128, 160, 2, false, true>, HopperTile<T, 128, 128, 2, false, true>,
                          HopperTile<T, 128, 80, 2, false, true>, HopperTile<T, 128, 64, 2, false, true>,
                          HopperTile<T, 256, 128, 2, false, true>, HopperTile<T, 128, 256, 2, false, true>>;
template <class T>
using PixelTiles = tune::tiles<HopperTile<T, 128, 160>>;

template <class Win>
struct window : Conv2D<Win, Buf<0>, Add<Out, Buf<1>>> {};

template <class Win, class T, class Tiles>
bool windows(Bench& b, Tiles tiles, index_t images, index_t h, index_t w, index_t c, index_t out, index_t count,
             bool timed) {
    const index_t oh = Win::extent(h, Win::rows), ow = Win::extent(w, Win::cols), taps = Win::rows,
                  m = images * oh * ow;
    const tune::Operands o = tune::operands(b, dtype_of<T>, images * h * w * c, out * taps * taps * c, out, m * out);
    const std::string name = "conv " + std::to_string(images) + "x" + std::to_string(h) + "x" + std::to_string(w) +
                             "x" + std::to_string(c) + ">" + std::to_string(out) + " " + std::to_string(taps) + "s" +
                             std::to_string(Win::stride) + "p" + std::to_string(Win::before) + " *" +
                             std::to_string(count);
    const Reference r{o.at<void>(0, 0),
                      o.at<void>(0, o.x),
                      o.at<void>(0, o.x + o.w),
                      o.at<void>(0, o.x + o.w + o.bias + o.residual),
                      dtype_of<T>,
                      m,
                      out,
                      c,
                      h,
                      w,
                      oh,
                      ow,
                      static_cast<int>(taps),
                      Win::stride,
                      Win::before};
    return tune::shape(b, tiles, name, o, r, taps * taps * ((c + 63) / 64),
                       2.0 * static_cast<double>(m * out) * static_cast<double>(taps * taps * c), timed, [=](int i) {
                           return prepare<window<Win>>(
                               tensor(o.at<T>(i, o.x + o.w + o.bias + o.residual), images, oh, ow, out),
                               tensor(o.at<const T>(i, o.x), out, taps, taps, c),
                               tensor(o.at<const T>(i, 0), images, h, w, c), tensor(o.at<const T>(i, o.x + o.w), out));
                       });
}

}  // namespace

int main(int argc, char** argv) {
    Bench b("tune_windows", argc, argv);
    bool right = true;
    const index_t ragged[][5] = {{1, 16, 16, 64, 64}, {2, 8, 8, 64, 160},  {2, 8, 8, 640, 320}, {3, 7, 10, 72, 40},
                                 {3, 8, 8, 128, 80},  {1, 5, 3, 128, 168}, {2, 33, 17, 96, 88}, {2, 16, 16, 640, 328},
                                 {2, 32, 32, 64, 4},  {5, 4, 4, 320, 3}};
    for (const auto& s : ragged)
        right = windows<Window<3>, half>(b, Halos<half>{}, s[0], s[1], s[2], s[3], s[4], 0, false) && right;
    right = windows<Window<3, 3, 1, 0, 0>, half>(b, Halos<half>{}, 2, 20, 19, 64, 64, 0, false) && right;
    right = windows<Window<3, 3, 1, 0, 2>, half>(b, Halos<half>{}, 2, 20, 19, 64, 64, 0, false) && right;
    right = windows<Window<3>, bf16>(b, tune::tiles<HopperTile<bf16, 128, 160, 2, false, true>>{}, 2, 16, 16, 128, 168,
                                     0, false) &&
            right;
    std::printf("windows: %s\n", right ? "all right" : "SOMETHING IS WRONG");
    if (b.quick()) return right ? 0 : 1;
    for (const Shape& s : b.shapes("conv3x3")) {
        if (s.key[4] != 1 || s.key[2] % 8 != 0) continue;
        const index_t images = s.model == "vae" ? 1 : 2;
        windows<Window<3>, half>(b, Halos<half>{}, images, s.key[0], s.key[1], s.key[2], s.key[3], s.count, true);
        windows<Window<3>, half>(b, PixelTiles<half>{}, images, s.key[0], s.key[1], s.key[2], s.key[3], s.count, true);
    }
    return right ? 0 : 1;
}
