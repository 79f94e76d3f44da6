// SPDX-License-Identifier: Apache-2.0
/// Leaves of layers are leaves of the library's expressions: every operation and view stands over them.
#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/rewrite/planner/layer.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using namespace inlay;
namespace p = inlay::planner;

template <class A, class B>
constexpr bool same = std::is_same_v<std::remove_cvref_t<A>, std::remove_cvref_t<B>>;

constexpr auto x = p::input<3, p::dim<0>, 8>;
using X = std::remove_cvref_t<decltype(x)>;

TEST(PlannerLeaves, StandUnderOperationsAsAnyLeafDoes) {
    static_assert(Expr<X> && X::slot == 3);
    static_assert(same<decltype(gelu(x) + x), Add<Gelu<X>, X>>);
    const auto y = p::linear<"w", 8, 8>(x);
    static_assert(Expr<std::remove_cvref_t<decltype(silu(y) * x)>>);
    static_assert(Expr<std::remove_cvref_t<decltype(p::materialize(x))>>);
    static_assert(Expr<std::remove_cvref_t<decltype(p::fuse(x))>>);
}
TEST(PlannerLeaves, AreEmptyTypes) {
    static_assert(std::is_empty_v<X>);
    static_assert(std::is_empty_v<std::remove_cvref_t<decltype(p::weight<"w", 8>)>>);
    static_assert(std::is_empty_v<std::remove_cvref_t<decltype(p::linear<"w", 8, 8>(x))>>);
}
/// Sharing is by type: what differs in anything that changes its value is another type.
TEST(PlannerLeaves, AreTheSameTypeIffTheyAreTheSameTensor) {
    static_assert(same<X, decltype(p::input<3, p::dim<0>, 8>)>);
    static_assert(!same<X, decltype(p::input<2, p::dim<0>, 8>)>);
    static_assert(!same<X, decltype(p::input<3, p::dim<1>, 8>)>);
    static_assert(!same<X, decltype(p::input_from<3, p::Phase::prompt, p::dim<0>, 8>)>);
    static_assert(same<X, decltype(p::input_from<3, p::Phase::step, p::dim<0>, 8>)>);
    static_assert(same<decltype(p::weight<"w", 8>), decltype(p::weight<"w", 8>)>);
    static_assert(!same<decltype(p::weight<"w", 8>), decltype(p::weight<"v", 8>)>);
    using w = p::letters<"w">;
    static_assert(!same<p::Weight<w, p::Field::weight, p::Layout::matrix, p::as_dim(8)>,
                        p::Weight<w, p::Field::weight, p::Layout::plain, p::as_dim(8)>>);
    static_assert(!same<p::Weight<w, p::Field::weight, p::Layout::plain, p::as_dim(8)>,
                        p::Weight<w, p::Field::bias, p::Layout::plain, p::as_dim(8)>>);
}
TEST(PlannerLeaves, AResultNamesItsCoreAndOperands) {
    const auto y = p::merge_heads(x);
    using Y = std::remove_cvref_t<decltype(y)>;
    static_assert(same<typename Y::core, p::MergedHeads> && same<typename Y::operands, types<X>>);
}

}  // namespace
