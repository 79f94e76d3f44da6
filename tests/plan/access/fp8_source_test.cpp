// SPDX-License-Identifier: Apache-2.0
/// The tensor in fp8 of an expression, and the scale beside it, by type.
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/plan/access/fp8_source.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

using Both = Env<-1, 1, Tensor<const fp8, 4>, Tensor<const float, 4>>;
template <class E>
using source = fp8_source_of<Bound<E, Both>>;
template <class E>
using factor = fp8_factor_of<Bound<E, Both>>;
using Turned = Permute<Buf<0>, 0, 2, 1, 3>;

static_assert(std::is_same_v<source<Buf<0>>, Buf<0>> && std::is_same_v<source<Turned>, Turned>);
static_assert(std::is_same_v<source<Mul<Turned, Buf<1>>>, Turned>);
static_assert(std::is_same_v<factor<Mul<Turned, Buf<1>>>, Buf<1>>);
static_assert(std::is_same_v<factor<Mul<Param<0>, Buf<0>>>, Param<0>>);
static_assert(std::is_void_v<factor<Add<Buf<0>, Buf<1>>>>);                 // a sum has no scale
static_assert(std::is_void_v<source<Buf<1>>>);                              // fp32
static_assert(std::is_void_v<source<Mul<Buf<0>, Exp<Buf<0>>>>>);            // two places that read fp8

template <class E>
constexpr bool scaled = is_scaled_fp8_source<Bound<E, Both>>;
static_assert(scaled<Turned> && scaled<Mul<Turned, Buf<1>>> && scaled<Mul<Param<0>, Buf<0>>>);
static_assert(!scaled<Add<Buf<0>, Buf<1>>> && !scaled<Buf<1>> && !scaled<Exp<Buf<0>>>);

TEST(Fp8Source, ScalesOfRowsAndOfKeys) {
    const auto axes = [](const Extents<4>& scales) {
        const Both env{make_pack(tensor(static_cast<const fp8*>(nullptr), 2, 3, 5, 16),
                                 Tensor<const float, 4>(nullptr, scales)), {}, {}};
        return fp8_scale_axes(bind<Mul<Buf<0>, Buf<1>>>(env));
    };
    EXPECT_TRUE(axes({{2, 3, 1, 1}}).one_of_keys && axes({{2, 3, 1, 1}}).one_of_row);
    EXPECT_TRUE(!axes({{2, 3, 5, 1}}).one_of_keys && axes({{2, 3, 5, 1}}).one_of_row);
    EXPECT_TRUE(!axes({{2, 3, 1, 16}}).one_of_keys && !axes({{2, 3, 1, 16}}).one_of_row);
}
TEST(Fp8Source, RowsInChunks) {
    const auto in_chunks = [](std::uintptr_t at, const Extents<4>& strides, const Extents<4>& extents) {
        const Both env{make_pack(Tensor<const fp8, 4>(reinterpret_cast<const fp8*>(at), {{2, 3, 5, 32}}, strides),
                                 Tensor<const float, 4>{}), {}, {}};
        return fp8_rows_in_chunks(bind<Buf<0>>(env), extents);
    };
    const Extents<4> dense{{480, 160, 32, 1}}, all{{2, 3, 5, 32}};
    EXPECT_TRUE(in_chunks(4096, dense, all) && in_chunks(0, dense, all));   // without memory: as if aligned
    EXPECT_FALSE(in_chunks(4104, dense, all));
    EXPECT_FALSE(in_chunks(4096, {{600, 200, 40, 1}}, all));    // rows at multiples of 8
    EXPECT_FALSE(in_chunks(4096, {{480, 160, 64, 2}}, all));    // every other element
    EXPECT_FALSE(in_chunks(4096, dense, {{4, 3, 5, 32}}));      // broadcast over batches
}
TEST(Fp8Source, AsItLiesInMemory) {
    const fp8* const data = reinterpret_cast<const fp8*>(static_cast<std::uintptr_t>(4096));
    const Both env{make_pack(tensor(data, 2, 3, 5, 16), Tensor<const float, 4>{}), {}, {}};
    const auto view = fp8_view<Turned>(bind<Turned>(env));
    EXPECT_EQ(view.data, data);
    EXPECT_EQ(view.strides[1], 16);     // the axis of 5
    EXPECT_EQ(view.strides[2], 5 * 16);
}

}  // namespace
