// SPDX-License-Identifier: Apache-2.0
/// The type in which products and attention multiply, by all that is read.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct plain : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};
struct paged_keys : Attention<40, Buf<0>, Paged<Buf<1>, Buf<2>>, Buf<3>> {};
struct scaled_keys : Attention<40, Buf<0>, Mul<Buf<1>, Buf<3>>, Buf<2>> {};
struct gathered : Attention<40, Buf<0>, Gather<Buf<1>, Buf<2>, 0>, Buf<3>> {};
struct summed : Attention<40, Add<Buf<0>, Buf<3>>, Buf<1>, Buf<2>> {};

template <class K, class Q, class... T>
constexpr DType multiplied() {
    using P = decltype(prepare<K>(shape<fp16>(2, 1, 9, 40), shape<Q>(2, 1, 9, 40), std::declval<const T&>()...));
    using In = decltype(P::in);
    return dtype_of<attention_type<std::remove_cvref_t<decltype(get<0>(std::declval<In>()))>,
                                   std::remove_cvref_t<decltype(get<1>(std::declval<In>()))>,
                                   std::remove_cvref_t<decltype(get<2>(std::declval<In>()))>>>;
}
template <class T>
using Four = Tensor<T, 4>;

TEST(AttentionType, The16BitTypeOfAll) {
    EXPECT_EQ((multiplied<plain, fp16, Four<fp16>, Four<fp16>>()), DType::f16);
    EXPECT_EQ((multiplied<plain, bf16, Four<bf16>, Four<bf16>>()), DType::bf16);
    EXPECT_EQ((multiplied<plain, const fp16, Four<const fp16>, Four<fp16>>()), DType::f16);
}
TEST(AttentionType, ElseFloat) {
    EXPECT_EQ((multiplied<plain, float, Four<float>, Four<float>>()), DType::f32);
    EXPECT_EQ((multiplied<plain, fp16, Four<fp16>, Four<bf16>>()), DType::f32);
    EXPECT_EQ((multiplied<plain, fp16, Four<float>, Four<fp16>>()), DType::f32);
    EXPECT_EQ((multiplied<summed, fp16, Four<fp16>, Four<fp16>, Four<float>>()), DType::f32);
    EXPECT_EQ((multiplied<plain, fp16, Four<fp16>, Four<std::int32_t>>()), DType::f32);
    EXPECT_EQ((multiplied<plain, std::int32_t, Four<std::int32_t>, Four<std::int32_t>>()), DType::f32);
}
TEST(AttentionType, IndicesDoNotCount) {
    EXPECT_EQ((multiplied<gathered, fp16, Four<fp16>, Tensor<const std::int32_t, 1>, Four<fp16>>()), DType::f16);
    EXPECT_EQ((multiplied<paged_keys, fp16, Four<fp16>, Tensor<const std::int32_t, 2>, Four<fp16>>()), DType::f16);
}
TEST(AttentionType, Fp8AndItsScalesDoNotCount) {
    using Eight = Four<const fp8>;
    EXPECT_EQ((multiplied<plain, bf16, Eight, Eight>()), DType::bf16);
    EXPECT_EQ((multiplied<scaled_keys, bf16, Eight, Eight, Four<float>>()), DType::bf16);
    EXPECT_EQ((multiplied<scaled_keys, fp16, Eight, Four<fp16>, Four<float>>()), DType::f16);
    EXPECT_EQ((multiplied<scaled_keys, fp16, Four<fp16>, Eight, Four<float>>()), DType::f32);
    EXPECT_EQ((multiplied<summed, bf16, Eight, Eight, Four<float>>()), DType::f32);
    EXPECT_EQ((multiplied<plain, float, Eight, Eight>()), DType::f32);
}

struct copied : Linear<Buf<0>> {};
struct pointwise : Linear<Silu<Buf<0>>> {};
struct scaled : Linear<Mul<Buf<0>, Buf<1>>> {};
struct joined : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
struct rows_of_table : Linear<Gather<Buf<0>, Buf<1>>> {};
template <class T>
struct cast_to : Linear<Cast<Mul<Buf<0>, Buf<1>>, T>> {};
struct filter : Conv2D<Filter<3>, Buf<0>> {};

/// Of a linear, by the types of weights and tensors.
template <class K, class W, class... In>
DType of_linear(const In&... in) {
    return of<K>(shape<float>(64, 320), shape<W>(320, 128), in...).multiplied;
}
TEST(ProductType, The16BitTypeOfAll) {
    EXPECT_EQ((of_linear<copied, fp16>(shape(64, 128))), DType::f16);
    EXPECT_EQ((of_linear<pointwise, bf16>(shape<bf16>(64, 128))), DType::bf16);
    EXPECT_EQ((of_linear<scaled, fp16>(shape(64, 128), shape(128))), DType::f16);
    EXPECT_EQ((of_linear<joined, fp16>(shape(64, 64), shape(64, 64))), DType::f16);
    EXPECT_EQ((of_linear<rows_of_table, fp16>(shape(500, 128), shape<std::int32_t>(64))), DType::f16);
    EXPECT_EQ((of_linear<cast_to<fp16>, fp16>(shape<float>(64, 128), shape<float>(128))), DType::f16);
}
TEST(ProductType, ElseFloat) {
    EXPECT_EQ((of_linear<copied, float>(shape<float>(64, 128))), DType::f32);
    EXPECT_EQ((of_linear<copied, float>(shape(64, 128))), DType::f32);
    EXPECT_EQ((of_linear<copied, fp16>(shape<float>(64, 128))), DType::f32);
    EXPECT_EQ((of_linear<copied, fp16>(shape<bf16>(64, 128))), DType::f32);
    EXPECT_EQ((of_linear<copied, fp16>(shape<std::int32_t>(64, 128))), DType::f32);
    EXPECT_EQ((of_linear<pointwise, bf16>(shape<float>(64, 128))), DType::f32);
    EXPECT_EQ((of_linear<scaled, fp16>(shape(64, 128), shape<float>(128))), DType::f32);
    EXPECT_EQ((of_linear<joined, fp16>(shape(64, 64), shape<float>(64, 64))), DType::f32);
    EXPECT_EQ((of_linear<rows_of_table, fp16>(shape<float>(500, 128), shape<std::int32_t>(64))), DType::f32);
    EXPECT_EQ((of_linear<cast_to<bf16>, fp16>(shape(64, 128), shape(128))), DType::f32);
}
TEST(ProductType, ExplainNamesIt) {
    const KernelReport l = of<copied>(shape<float>(64, 320), shape<fp16>(320, 128), shape<float>(64, 128));
    EXPECT_EQ(line("frame", l, sm80_target),
              "linear [64, 320] fp32, sm_80, 3 x mma.sync.m16n8k8 tf32, multiplies fp32, accumulates fp32");
    EXPECT_EQ(line("frame", l),
              "linear [64, 320] fp32, sm_90a, 3 x mma.sync.m16n8k8 tf32, multiplies fp32, accumulates fp32");
    EXPECT_EQ(line("portable", l), "its operands are not of one 16-bit type");
    EXPECT_EQ(line("schedule", l).find("two kernels: its weights are converted in workspace, then "), 0u);
    EXPECT_EQ(line("frame", l, host_target),
              "linear [64, 320] fp32, host, FMA microkernel, multiplies fp32, accumulates fp32");
    EXPECT_EQ(line("schedule", l, host_target).find("two kernels"), std::string::npos);

    const KernelReport same = of<copied>(shape<float>(64, 320), shape<bf16>(320, 128), shape<bf16>(64, 128));
    EXPECT_EQ(line("frame", same), "linear [64, 320] fp32, sm_90a, wgmma.m64nNk16, multiplies bf16, accumulates fp32");
    EXPECT_EQ(line("frame", same, host_target),
              host_multiplies_bf16
                  ? "linear [64, 320] fp32, host, vdpbf16ps microkernel, multiplies bf16, accumulates fp32"
                  : "linear [64, 320] fp32, host, FMA microkernel, multiplies fp32, accumulates fp32");
    const KernelReport half_by_float = of<copied>(shape<float>(64, 320), shape<float>(320, 128), shape<fp16>(64, 128));
    EXPECT_EQ(line("schedule", half_by_float).find("two kernels"), std::string::npos);
    const KernelReport windows = of<filter>(shape<float>(2, 8, 8, 64), shape<fp16>(64, 3, 3, 128), shape<bf16>(2, 8, 8, 128));
    EXPECT_EQ(windows.multiplied, DType::f32);
}

}  // namespace
