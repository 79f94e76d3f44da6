// SPDX-License-Identifier: Apache-2.0
/// Linear layers, with one sum a column or two, 1×1 filters and windows at stride 2: tiles whose rows of A are boxes or
/// pixels.
#include "../cuda/target.hpp"
#include "filter.hpp"

#include <array>
#include <set>

namespace {

using namespace inlay;
using namespace inlay_bench;

template <class T>
using Boxes = tune::Schedules<T, wgmma_boxes>;
using Pairs = tune::Schedules<fp16, wgmma_boxes, true>;

struct linear : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct two_sums : Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>> {};

/// n: rows of the weights.
template <class K, class T, class Schedules>
bool product(Bench& b, Schedules schedules, index_t m, index_t n, index_t k, tune::Log* log) {
    constexpr bool pairs = std::is_same_v<K, two_sums>;
    const index_t columns = pairs ? n / 2 : n;
    const tune::Operands o = tune::operands(b, dtype_of<T>, m * k, n * k, n, m * columns);
    Reference r{o.at<void>(0, 0),   o.at<void>(0, o.x), o.at<void>(0, o.x + o.w), o.at<void>(0, o.result()),
                dtype_of<T>, m, columns, k};
    r.pairs = pairs;
    const WgmmaShape of{WgmmaInput::copied, pairs, 1, 1, 1, m, 1, n, k};
    return tune::shape(b, schedules, of, o, r, log, [=](int i) {
        const auto y = tensor(o.at<T>(i, o.result()), m, columns);
        const auto w = weight(o.at<const T>(i, o.x), n, k);
        const auto x = tensor(o.at<const T>(i, 0), m, k);
        const T* const bias = o.at<const T>(i, o.x + o.w);
        if constexpr (pairs) return prepare<K>(y, w, x, tensor(bias, columns), tensor(bias + columns, columns));
        else return prepare<K>(y, w, x, tensor(bias, n));
    });
}
bool tune_linear(Bench& b, index_t m, index_t n, index_t k, tune::Log* log) {
    return product<linear, fp16>(b, Boxes<fp16>{}, m, n, k, log);
}

}  // namespace

int main(int argc, char** argv) {
    Bench b("tune_boxes", argc, argv);
    bool right = true;
    const index_t ragged[][3] = {{64, 64, 64},     {128, 160, 64},  {128, 160, 640}, {100, 72, 40},
                                 {129, 168, 72},   {154, 320, 768}, {9, 8, 8},       {257, 1288, 1096},
                                 {1000, 328, 200}, {640, 100, 128}, {300, 3, 320},   {2048, 640, 2560},
                                 {2047, 1281, 96}};
    for (const auto& s : ragged) right = tune_linear(b, s[0], s[1], s[2], nullptr) && right;
    for (const index_t m : {9, 100, 257}) right = product<two_sums, fp16>(b, Pairs{}, m, 224, 328, nullptr) && right;
    right = product<linear, bf16>(b, Boxes<bf16>{}, 1000, 328, 200, nullptr) && right;
    right = tune::windows<Filter<3, 3, 2>, fp16>(b, Boxes<fp16>{}, 3, 7, 10, 72, 40, nullptr) && right;
    right = tune::windows<Filter<3, 3, 2, 0, 1>, fp16>(b, Boxes<fp16>{}, 2, 16, 12, 128, 328, nullptr) && right;
    right = tune::windows<Filter<5>, fp16>(b, Boxes<fp16>{}, 1, 9, 9, 64, 64, nullptr) && right;
    right = tune::windows<Filter<1>, fp16>(b, Boxes<fp16>{}, 2, 9, 5, 64, 96, nullptr) && right;
    right = tune::windows<Filter<1, 1, 2>, fp16>(b, Boxes<fp16>{}, 2, 9, 5, 64, 96, nullptr) && right;
    std::printf("boxes: %s\n", right ? "all right" : "SOMETHING IS WRONG");
    if (b.quick()) return right ? 0 : 1;
    tune::Log log(b.out() + "/tune_boxes.csv", b.provenance() + "; linears and filters with a bias");
    // Shapes of a model that are not layers of its table: Q, K and V in one product.
    std::set<std::array<index_t, 3>> shapes{{4096, 4096, 4096}, {8192, 8192, 8192}};
    for (const Shape& s : b.shapes("layer_norm"))
        if (s.model == "unet") shapes.insert({s.key[1], 3 * s.key[2], s.key[2]});
    for (const char* kind : {"linear", "conv1x1"})
        for (const Shape& s : b.shapes(kind))
            if (s.m > 8 && s.k % 8 == 0) shapes.insert({s.m, s.n, s.k});
    for (const auto& [m, n, k] : shapes) {
        right = tune_linear(b, m, n, k, &log) && right;
        if (n == 8 * k) right = product<two_sums, fp16>(b, Pairs{}, m, n, k, &log) && right;
    }
    for (const Shape& s : b.shapes("conv3x3"))
        if (s.key[4] == 2)
            right = tune::windows<Filter<3, 3, 2>, fp16>(b, Boxes<fp16>{}, tune::images_of(s), s.key[0], s.key[1],
                                                         s.key[2], s.key[3], &log) && right;
    log.write();
    return right ? 0 : 1;
}
