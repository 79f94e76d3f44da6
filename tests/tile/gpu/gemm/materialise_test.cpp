// SPDX-License-Identifier: Apache-2.0
/// Inputs of products that are evaluated into workspace by a kernel before.
#include "tile/cuda/wgmma/gemm/products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

struct pointwise : Linear<Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
using Geglu = Mul<Slice<Buf<0>, -1, 0, 136>, Gelu<Mul<Slice<Buf<0>, -1, 136, 136>, Buf<1>>>>;
struct geglu : Linear<Geglu, Add<Out, Buf<2>>> {};
struct pixels : Conv2D<Filter<1>, Silu<Buf<0>>, Add<Out, Buf<1>>> {};

/// Runs the kernel before, then schedule 1 of the table of boxes.
struct Passing {
    static constexpr int schedule = 1;
    on_gpu::Launcher& l;
    int parts;

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        using T = std::remove_const_t<typename W::value_type>;
        static_assert(can_evaluate_first<T, In, Rows>);
        const auto evaluated = on_gpu::evaluate_before<T>(l, in);
        static_assert(can_wgmma_copy<T, std::remove_const_t<decltype(evaluated)>, Rows>);
        With<schedule>{l, parts}.matmul<void>(s, w, evaluated, rows, epilogue, sink, place);
    }
    template <class S>
    void publish_stats(const S&) {}
};

TEST(WgmmaPass, Linears) {
    LinearArrays<fp16> a{104};
    expect_schedule<pointwise, Passing, fp16>(1, a.out, a.w, a.x, a.b, a.r);
    LinearArrays<bf16> b{104};
    expect_schedule<pointwise, Passing, bf16>(2, b.out, b.w, b.x, b.b, b.r);
}
TEST(WgmmaPass, TwoPlacesOfOneTensorAndAVector) {
    LinearArrays<fp16> a{96};
    auto x = normal<fp16>(5, 150, 272);
    auto scale = normal<float>(6, 136);
    expect_schedule<geglu, Passing, fp16>(1, a.out, a.w, x, scale, a.b);
}
TEST(WgmmaPass, Pixels) {
    auto x = normal<fp16>(1, 2, 9, 7, 72), w = gaussian<fp16>(2, 0, 0.1, 40, 1, 1, 72);
    auto b = normal<fp16>(3, 40);
    expect_schedule<pixels, Passing, fp16>(1, Extents<4>{{2, 9, 7, 40}}, w, x, b);
}
/// The maps of a dry run are of memory that there is not yet.
TEST(WgmmaPass, ADryRunAsksForWorkspace) {
    const auto x = normal<fp16>(1, 150, 136);
    using Read = Env<0, 0, Tensor<const fp16, 2>>;
    const Bound<Silu<Buf<0>>, Read> in(Read{{*x}, {}, {}});
    on_gpu::Launcher l(0, nullptr);
    l.begin_dry();
    const auto evaluated = on_gpu::evaluate_before<fp16>(l, in);
    EXPECT_NE(evaluated.env.tensor<0>().data, nullptr);
    EXPECT_EQ(evaluated.env.tensor<0>().extents, x.extents);
    l.end_dry();
    EXPECT_GE(l.workspace_bytes(), std::size_t(150 * 136 * 2));
}

}  // namespace
