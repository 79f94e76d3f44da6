// SPDX-License-Identifier: Apache-2.0
/// Every schedule of sm_90a's tables, at sizes that an emulator can take: parts of sums, weights in an order of their
/// own or not, inputs that are copied and evaluated, windows with and without halo tiles, of large images and several
/// small ones.
#include "../expect_schedule.hpp"

#include <inlay/kernel/conv2d.hpp>
#include <inlay/kernel/linear.hpp>
#include <inlay/tile/cuda/hopper_matmul.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs matrix products with schedule I of the table for their rows.
template <int I>
struct With {
    static constexpr int schedule = I;
    cuda::Launcher& l;
    int parts;

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        using T = std::remove_const_t<typename W::value_type>;
        auto p = cuda::hopper_problem<T>(s, w.data, in, rows, epilogue, sink, place);
        ASSERT_TRUE(p.ok);
        if constexpr (inlay::detail::has_halo<Rows>)
            cuda::launch_hopper<cuda::detail::HopperTableTile<T, hopper_windows, I, decltype(p)>>(l, p, parts);
        else cuda::launch_hopper<cuda::detail::HopperTableTile<T, hopper_boxes, I, decltype(p)>>(l, p, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

struct plain : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct pointwise : Linear<Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct two_sums : Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<1>>>>> {};
struct two_pieces : Linear<Buf<0>, Add<Add<Out, Concat<-1, Buf<1>, Buf<2>>>, Buf<3>>> {};
struct joined : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
struct filter : Conv2D<Window<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct pointwise_filter : Conv2D<Window<3>, Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct affine_filter : Conv2D<Window<3>, Silu<Add<Mul<Buf<0>, Buf<1>>, Buf<2>>>, Add<Out, Buf<3>>> {};
struct upsampled : Conv2D<Window<3>, Upsample2x<Buf<0>>, Add<Out, Buf<1>>> {};
struct strided : Conv2D<Window<3, 3, 2, 1>, Buf<0>, Add<Out, Buf<1>>> {};

/// Columns in groups of 16 come in the order in which lanes keep them, others do not.
template <class T, int I>
void expect_linears(index_t columns) {
    auto x = normal<T>(1, 150, 136), w = gaussian<T>(2, 0, 0.08, columns, 136), r = normal<T>(4, 150, columns);
    auto b = normal<T>(3, columns);
    const Extents<2> out{{150, columns}};
    expect_schedule<plain, With<I>, T>(1, out, w, x, b, r);
    expect_schedule<plain, With<I>, T>(2, out, w, x, b, r);
    expect_schedule<plain, With<I>, T>(3, out, w, x, b, r);
    expect_schedule<pointwise, With<I>, T>(1, out, w, x, b, r);
    if constexpr (hopper_boxes[I].n % 32 == 0) {
        auto pairs = gaussian<T>(7, 0, 0.08, 2 * 112, 136);
        auto d = normal<T>(8, 112);
        expect_schedule<two_sums, With<I>, T>(1, Extents<2>{{150, 112}}, pairs, x, d);
        expect_schedule<two_sums, With<I>, T>(3, Extents<2>{{150, 112}}, pairs, x, d);
    }
    auto left = normal<T>(5, 150, 64), right = normal<T>(6, 150, 72);
    auto first = normal<T>(9, 150, 40), second = normal<T>(10, 150, columns - 40);
    auto c = normal<float>(11, columns);
    expect_schedule<two_pieces, With<I>, T>(1, out, w, x, first, second, c);
    expect_schedule<two_pieces, With<I>, T>(2, out, w, x, first, second, c);
    expect_schedule<joined, With<I>, T>(1, out, w, left, right);
}
template <class T, int I>
void expect_windows(index_t columns) {
    auto x = normal<T>(1, 2, 9, 18, 72), small = normal<T>(4, 3, 5, 7, 72);
    auto w = gaussian<T>(2, 0, 0.05, columns, 3, 3, 72);
    auto b = normal<T>(3, columns);
    const Extents<4> out{{2, 9, 18, columns}}, images{{3, 5, 7, columns}}, twice{{3, 10, 14, columns}};
    if constexpr (I == 0) {
        expect_schedule<filter, With<I>, T>(1, out, w, x, b);
        expect_schedule<pointwise_filter, With<I>, T>(1, out, w, x, b);
    } else if constexpr (I == 1) {
        auto scale = normal<T>(5, 72);
        auto shift = normal<float>(6, 72);
        expect_schedule<filter, With<I>, T>(1, images, w, small, b);
        expect_schedule<affine_filter, With<I>, T>(2, out, w, x, scale, shift, b);
        expect_schedule<upsampled, With<I>, T>(1, twice, w, small, b);
    } else {
        expect_schedule<filter, With<I>, T>(5, out, w, x, b);
        expect_schedule<pointwise_filter, With<I>, T>(2, images, w, small, b);
    }
}

TEST(HopperProducts, Linears) {
    expect_linears<half, 0>(112);
    expect_linears<half, 1>(104);
    expect_linears<bf16, 2>(112);
}
TEST(HopperProducts, Windows) {
    expect_windows<half, 0>(88);
    expect_windows<half, 1>(96);
    expect_windows<half, 2>(96);
}
TEST(HopperProducts, StridedWindows) {
    auto x = normal<half>(1, 2, 9, 18, 72), w = gaussian<half>(2, 0, 0.05, 88, 3, 3, 72);
    auto b = normal<half>(3, 88);
    expect_schedule<strided, With<1>, half>(1, Extents<4>{{2, 5, 9, 88}}, w, x, b);
}

}  // namespace
