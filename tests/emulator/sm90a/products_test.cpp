// SPDX-License-Identifier: Apache-2.0
/// Every schedule of sm_90a's tables, at sizes that an emulator can take: parts of sums, weights in an order of their own
/// or not, inputs that are copied and evaluated, windows with and without halo tiles, of large images and several small
/// ones.
#include <kernel/check.hpp>

#include <inlay/kernel/conv2d.hpp>
#include <inlay/kernel/linear.hpp>
#include <inlay/tile/cuda/hopper_matmul.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs matrix products with schedule I of the table for their rows.
template <int I>
struct With {
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

/// K twice, in other orders of its threads, blocks and copies, against the oracle.
template <class K, int I, class T, int R, class... A>
void expect_schedule(int parts, const Extents<R>& out, A&... arrays) {
    SCOPED_TRACE(name<K>() + ", schedule " + std::to_string(I) + ", " + std::to_string(parts) + " parts");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Array<T, R> y(out, nan);
    Array<double, R> exact(out, nan);
    Oracle oracle;
    prepare<K>(*exact, *std::as_const(arrays)...).run(oracle);
    auto placed = std::make_tuple(Placed(arrays)...);
    std::vector<T> first;
    for (int run = 0; run < 2; ++run) {
        Placed to(y);
        With<I> target{executor().launcher(), parts};
        std::apply([&](auto&... p) { prepare<K>(*to, *p...).run(target); }, placed);
        to.fetch();
        if (run == 0) first = y.v;
        else EXPECT_EQ(std::memcmp(first.data(), y.v.data(), y.v.size() * sizeof(T)), 0);
    }
    const double rounding = rounding_of<T>(exact.v);
    EXPECT_LE(relative_l2(doubles(y.v), exact.v), fp32_error + 1.25 * std::hypot(rounding, rounding));
}

struct plain : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct pointwise : Linear<Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct joined : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
struct filter : Conv2D<Window<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct pointwise_filter : Conv2D<Window<3>, Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct upsampled : Conv2D<Window<3>, Upsample2x<Buf<0>>, Add<Out, Buf<1>>> {};
struct strided : Conv2D<Window<3, 3, 2, 1>, Buf<0>, Add<Out, Buf<1>>> {};

/// Columns in groups of 16 come in the order in which lanes keep them, others do not.
template <class T, int I>
void expect_linears(index_t columns) {
    auto x = normal<T>(1, 150, 136), w = gaussian<T>(2, 0, 0.08, columns, 136), r = normal<T>(4, 150, columns);
    auto b = normal<T>(3, columns);
    const Extents<2> out{{150, columns}};
    expect_schedule<plain, I, T>(1, out, w, x, b, r);
    expect_schedule<plain, I, T>(2, out, w, x, b, r);
    expect_schedule<plain, I, T>(3, out, w, x, b, r);
    expect_schedule<pointwise, I, T>(1, out, w, x, b, r);
    auto left = normal<T>(5, 150, 64), right = normal<T>(6, 150, 72);
    expect_schedule<joined, I, T>(1, out, w, left, right);
}
template <class T, int I>
void expect_windows(index_t columns) {
    auto x = normal<T>(1, 2, 9, 18, 72), w = gaussian<T>(2, 0, 0.05, columns, 3, 3, 72), small = normal<T>(4, 3, 5, 7, 72);
    auto b = normal<T>(3, columns);
    const Extents<4> out{{2, 9, 18, columns}}, images{{3, 5, 7, columns}}, twice{{3, 10, 14, columns}};
    if constexpr (I == 0) {
        expect_schedule<filter, I, T>(1, out, w, x, b);
        expect_schedule<pointwise_filter, I, T>(1, out, w, x, b);
    } else if constexpr (I == 1) {
        expect_schedule<filter, I, T>(1, images, w, small, b);
        expect_schedule<upsampled, I, T>(1, twice, w, small, b);
    } else {
        expect_schedule<filter, I, T>(5, out, w, x, b);
        expect_schedule<pointwise_filter, I, T>(2, images, w, small, b);
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
    expect_schedule<strided, 1, half>(1, Extents<4>{{2, 5, 9, 88}}, w, x, b);
}

}  // namespace
