// SPDX-License-Identifier: Apache-2.0
/// Windows of 3×3 at stride 1: tiles that read A from halo tiles.
#include "../cuda/target.hpp"
#include "filter.hpp"

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

}  // namespace

int main(int argc, char** argv) {
    Bench b("tune_windows", argc, argv);
    bool right = true;
    const index_t ragged[][5] = {{1, 16, 16, 64, 64}, {2, 8, 8, 64, 160},  {2, 8, 8, 640, 320}, {3, 7, 10, 72, 40},
                                 {3, 8, 8, 128, 80},  {1, 5, 3, 128, 168}, {2, 33, 17, 96, 88}, {2, 16, 16, 640, 328},
                                 {2, 32, 32, 64, 4},  {5, 4, 4, 320, 3}};
    for (const auto& s : ragged)
        right = tune::windows<Window<3>, half>(b, Halos<half>{}, s[0], s[1], s[2], s[3], s[4], 0, false) && right;
    right = tune::windows<Window<3, 3, 1, 0, 0>, half>(b, Halos<half>{}, 2, 20, 19, 64, 64, 0, false) && right;
    right = tune::windows<Window<3, 3, 1, 0, 2>, half>(b, Halos<half>{}, 2, 20, 19, 64, 64, 0, false) && right;
    using Wide = tune::tiles<HopperTile<bf16, 128, 160, 2, false, true>>;
    right = tune::windows<Window<3>, bf16>(b, Wide{}, 2, 16, 16, 128, 168, 0, false) && right;
    std::printf("windows: %s\n", right ? "all right" : "SOMETHING IS WRONG");
    if (b.quick()) return right ? 0 : 1;
    for (const Shape& s : b.shapes("conv3x3")) {
        if (s.key[4] != 1 || s.key[2] % 8 != 0) continue;
        const index_t images = s.model == "vae" ? 1 : 2;
        tune::windows<Window<3>, half>(b, Halos<half>{}, images, s.key[0], s.key[1], s.key[2], s.key[3], s.count, true);
        tune::windows<Window<3>, half>(b, PixelTiles<half>{}, images, s.key[0], s.key[1], s.key[2], s.key[3], s.count,
                                       true);
    }
    return right ? 0 : 1;
}
