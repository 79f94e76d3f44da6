// SPDX-License-Identifier: Apache-2.0
/// Kernels of plans are the types that a user would have written.
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/emit.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace {

using namespace inlay;
namespace p = inlay::planner;

template <class Layer, class Shape = p::Shape<64>>
using planned = p::plan<Layer, p::on_host<4>, Shape>;
template <class Plan, int K>
std::string emitted() {
    return std::string(name<p::kernel_type<Plan, K>>());
}
template <class K>
std::string written() {
    return std::string(name<K>());
}

/// Slots are numbered from 0 in each kernel: inputs of the prologue, then what the epilogue reads.
struct activated {
    static constexpr auto graph() { return silu(p::linear<"w", 8, 8>(p::input<0, p::dim<0>, 8>)); }
};
TEST(PlannerEmit, ALinearWithItsEpilogue) {
    using plan = planned<activated>;
    static_assert(plan::launches == 1);
    EXPECT_EQ((emitted<plan, 0>()), (written<Linear<Buf<0>, Silu<Add<Out, Buf<1>>>>>()));
}

struct kept {
    static constexpr auto graph() {
        return p::materialize(gelu(p::input<1, p::dim<0>, 8>)) * p::input<0, p::dim<0>, 8>;
    }
};
TEST(PlannerEmit, AKernelWithoutACoreIsElementwise) {
    using plan = planned<kept>;
    static_assert(plan::launches == 2);
    EXPECT_EQ((emitted<plan, 0>()), (written<Elementwise<Gelu<Buf<0>>>>()));
    const std::string product = emitted<plan, 1>();
    EXPECT_TRUE(product == (written<Elementwise<Mul<Buf<0>, Buf<1>>>>()) ||
                product == (written<Elementwise<Mul<Buf<1>, Buf<0>>>>()))
        << product;
}

/// A view on write becomes a sink.
struct by_heads {
    static constexpr auto graph() {
        return p::heads<4>(p::linear_without_bias<"w", 8, 8>(p::input<0, p::dim<0>, p::dim<1>, 8>));
    }
};
TEST(PlannerEmit, HeadsAreASink) {
    using plan = planned<by_heads, p::Shape<2, 64>>;
    static_assert(plan::launches == 1);
    EXPECT_EQ((emitted<plan, 0>()), (written<Linear<Buf<0>, Out, SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>>>()));
}

/// An input that is doubled is a concatenation of itself, read through one slot.
struct doubled {
    static constexpr auto graph() { return p::twice(silu(p::input<0, p::dim<0>, 8>)); }
};
TEST(PlannerEmit, TwiceReadsOneSlot) {
    using plan = planned<doubled>;
    static_assert(plan::launches == 1 && plan::kernels[0].slots == 1);
    EXPECT_EQ((emitted<plan, 0>()), (written<Elementwise<Concat<0, Silu<Buf<0>>, Silu<Buf<0>>>>>()));
}

/// A number in the epilogue of a product is an argument: layers that differ by it are of one kernel.
template <int Factor>
struct multiplied {
    static constexpr auto graph() {
        return Const<Factor>{} * (p::linear_without_bias<"w", 8, 8>(p::input<0, p::dim<0>, 8>) + Const<3>{}) +
               Const<Factor>{};
    }
};
TEST(PlannerEmit, ANumberInAnEpilogueIsAnArgument) {
    using plan = planned<multiplied<2>>;
    static_assert(plan::launches == 1 && p::kernel_numbers<plan, 0> == 2);
    static_assert(std::is_same_v<p::kernel_type<plan, 0>, p::kernel_type<planned<multiplied<5>>, 0>>);
    const std::string kernel = emitted<plan, 0>();
    constexpr double first = p::kernel_number<plan, 0, 0>(), second = p::kernel_number<plan, 0, 1>();
    EXPECT_TRUE(first == 3 && second == 2) << first << ", " << second;
    EXPECT_EQ(kernel, (written<Linear<Buf<0>, Add<Mul<Param<1>, Add<Out, Param<0>>>, Param<1>>>>()));
    EXPECT_EQ((p::kernel_number<planned<multiplied<5>>, 0, 1>()), 5);
}

/// Elsewhere it is part of the kernel's type, where compilers see it.
struct multiplied_before {
    static constexpr auto graph() {
        return p::linear_without_bias<"w", 8, 8>(Const<2>{} * p::input<0, p::dim<0>, 8>);
    }
};
struct multiplied_alone {
    static constexpr auto graph() { return Const<2>{} * p::input<0, p::dim<0>, 8>; }
};
TEST(PlannerEmit, ANumberInAPrologueOrWithoutACoreIsOfTheType) {
    using before = planned<multiplied_before>;
    if constexpr (before::launches == 1) {
        static_assert(p::kernel_numbers<before, 0> == 0);
        EXPECT_EQ((emitted<before, 0>()), (written<Linear<Mul<Const<2>, Buf<0>>>>()));
    }
    using alone = planned<multiplied_alone>;
    static_assert(p::kernel_numbers<alone, 0> == 0);
    EXPECT_EQ((emitted<alone, 0>()), (written<Elementwise<Mul<Const<2>, Buf<0>>>>()));
}

}  // namespace
