// SPDX-License-Identifier: Apache-2.0
/// Every schedule of the tables of products, on the emulator of an AMD GPU: whole and ragged tiles, sums in one part and
/// in several.
#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/exec/oracle.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Runs matrix products with schedule `I` of the table that the launch would choose from, sums in `parts`.
template <int I>
struct With {
    static constexpr int schedule = I;
    on_gpu::Launcher& l;
    int parts;

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        using T = std::remove_const_t<typename W::value_type>;
        using Unit = std::conditional_t<on_gpu::warp_size == 64, on_gpu::detail::Mfma<T>, on_gpu::detail::Wmma<T>>;
        auto a = on_gpu::matmul_args(s, w, in, rows, epilogue, sink, place);
        Choice choice{mfma_matrix[0], parts, I};
        Unit::launch(l, a, choice);
    }
    template <class S>
    void publish_stats(const S&) {}
};

struct plain : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct pointwise : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct joined_images : Conv2D<Filter<3>, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};

template <class T, int I>
void expect_copied() {
    auto x = normal<T>(1, 140, 200), w = gaussian<T>(2, 0, 0.07, 136, 200);
    auto b = normal<T>(3, 136);
    for (const int parts : {1, 2, 4}) expect_schedule<plain, With<I>, T>(parts, Extents<2>{{140, 136}}, w, x, b);
    auto left = normal<T>(4, 2, 7, 9, 40), right = normal<T>(5, 2, 7, 9, 24), f = gaussian<T>(6, 0, 0.05, 48, 3, 3, 64);
    expect_schedule<joined_images, With<I>, T>(4, Extents<4>{{2, 7, 9, 48}}, f, left, right);
}
template <class T>
void expect_evaluated() {
    auto x = normal<T>(1, 140, 200), w = gaussian<T>(2, 0, 0.07, 100, 200);
    auto b = normal<T>(3, 100);
    for (const int parts : {1, 3}) expect_schedule<pointwise, With<0>, T>(parts, Extents<2>{{140, 100}}, w, x, b);
}

TEST(HipSchedules, OfCopiedInputs) {
    static_assert(std::size(mfma_matrix) == 2 && std::size(mfma_matrix_fp32) == 2 && std::size(wmma_matrix) == 2 &&
                  std::size(wmma_matrix_fp32) == 2);
    expect_copied<fp16, 0>();
    expect_copied<fp16, 1>();
    expect_copied<bf16, 0>();
    expect_copied<float, 0>();
    expect_copied<float, 1>();
}
TEST(HipSchedules, OfEvaluatedInputs) {
    static_assert(std::size(mfma_evaluated) == 1 && std::size(wmma_evaluated) == 1);
    expect_evaluated<fp16>();
    expect_evaluated<float>();
}

}  // namespace
