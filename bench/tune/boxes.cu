// SPDX-License-Identifier: Apache-2.0
/// Linear layers, 1×1 filters and windows at stride 2: tiles whose rows of A are boxes or pixels.
#include "../cuda/target.hpp"
#include "filter.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;
using cuda::HopperTile;

template <class T>
using Boxes = tune::tiles<HopperTile<T, 128, 256>, HopperTile<T, 128, 160>, HopperTile<T, 128, 128>,
                          HopperTile<T, 128, 80>, HopperTile<T, 128, 64>, HopperTile<T, 256, 128>,
                          HopperTile<T, 128, 128, 2, true>, HopperTile<T, 64, 256, 2, true>>;
template <class T>
using Few = tune::tiles<HopperTile<T, 128, 160>, HopperTile<T, 128, 80>>;

struct linear : Linear<Buf<0>, Add<Out, Buf<1>>> {};

template <class T, class Tiles>
bool product(Bench& b, Tiles tiles, index_t m, index_t n, index_t k, index_t count, bool timed) {
    const tune::Operands o = tune::operands(b, dtype_of<T>, m * k, n * k, n, m * n);
    const std::string name = "linear " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " " +
                             inlay::name(dtype_of<T>) + " *" + std::to_string(count);
    const Reference r{o.at<void>(0, 0),
                      o.at<void>(0, o.x),
                      o.at<void>(0, o.x + o.w),
                      o.at<void>(0, o.x + o.w + o.bias + o.residual),
                      dtype_of<T>,
                      m,
                      n,
                      k};
    return tune::shape(b, tiles, name, o, r, (k + 63) / 64, 2.0 * static_cast<double>(m * n) * static_cast<double>(k),
                       timed, [=](int i) {
                           return prepare<linear>(tensor(o.at<T>(i, o.x + o.w + o.bias + o.residual), m, n),
                                                  tensor(o.at<const T>(i, o.x), n, k),
                                                  tensor(o.at<const T>(i, 0), m, k),
                                                  tensor(o.at<const T>(i, o.x + o.w), n));
                       });
}

}  // namespace

int main(int argc, char** argv) {
    Bench b("tune_boxes", argc, argv);
    bool right = true;
    const index_t ragged[][3] = {{64, 64, 64},     {128, 160, 64},  {128, 160, 640}, {100, 72, 40},
                                 {129, 168, 72},   {154, 320, 768}, {9, 8, 8},       {257, 1288, 1096},
                                 {1000, 328, 200}, {640, 100, 128}, {300, 3, 320},   {2048, 640, 2560},
                                 {2047, 1281, 96}};
    for (const auto& s : ragged) right = product<half>(b, Boxes<half>{}, s[0], s[1], s[2], 0, false) && right;
    right = product<bf16>(b, Few<bf16>{}, 1000, 328, 200, 0, false) && right;
    right = tune::windows<Window<3, 3, 2>, half>(b, Few<half>{}, 3, 7, 10, 72, 40, 0, false) && right;
    right = tune::windows<Window<3, 3, 2, 0, 1>, half>(b, Few<half>{}, 2, 16, 12, 128, 328, 0, false) && right;
    right = tune::windows<Window<3>, half>(b, Few<half>{}, 3, 7, 10, 128, 160, 0, false) && right;
    right = tune::windows<Window<5>, half>(b, Few<half>{}, 1, 9, 9, 64, 64, 0, false) && right;
    right = tune::windows<Window<1>, half>(b, Few<half>{}, 2, 9, 5, 64, 96, 0, false) && right;
    right = tune::windows<Window<1, 1, 2>, half>(b, Few<half>{}, 2, 9, 5, 64, 96, 0, false) && right;
    std::printf("boxes: %s\n", right ? "all right" : "SOMETHING IS WRONG");
    if (b.quick()) return right ? 0 : 1;
    for (const Shape& s : b.shapes("linear"))
        if (s.m > 8) product<half>(b, Boxes<half>{}, s.m, s.n, s.k, s.count, true);
    for (const Shape& s : b.shapes("conv1x1"))
        if (s.k % 8 == 0) product<half>(b, Boxes<half>{}, s.m, s.n, s.k, s.count, true);
    for (const index_t n : {4096, 8192}) product<half>(b, Boxes<half>{}, n, n, n, 0, true);
    for (const Shape& s : b.shapes("conv3x3"))
        if (s.key[4] == 2)
            tune::windows<Window<3, 3, 2>, half>(b, Few<half>{}, 2, s.key[0], s.key[1], s.key[2], s.key[3], s.count,
                                                 true);
    return right ? 0 : 1;
}
