// SPDX-License-Identifier: Apache-2.0
/// Roles of arguments: which is which, and what a call of `prepare` is refused for. The sentences are those of
/// tests/compile_fail/.
#include <inlay/exec/arguments.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;
using inlay::detail::Role;

using Values = Tensor<float, 2>;
using Halves = Tensor<const fp16, 3>;
using Numbers = Tensor<int, 1>;
using Panels = Packed<fp16, 2>;

TEST(Arguments, KindsOfTypes) {
    using namespace inlay::detail;
    EXPECT_TRUE((is_scalar_argument<float> && is_scalar_argument<int> && is_scalar_argument<double>));
    EXPECT_TRUE((is_scalar_argument<const float*> && is_scalar_argument<float*> && is_scalar_argument<Scalar>));
    EXPECT_FALSE((is_scalar_argument<const double*> || is_scalar_argument<Values> || is_scalar_argument<const char*>));
    EXPECT_TRUE((is_weight<Values> && is_weight<Halves> && is_weight<Panels>));
    EXPECT_FALSE((is_weight<Numbers> || is_weight<float> || is_weight<const float*>));
    EXPECT_TRUE((is_output<Values> && is_output<Numbers>));
    EXPECT_FALSE((is_output<Halves> || is_output<Panels> || is_output<float>));
}

TEST(Arguments, RolesTakeTheirTypes) {
    using inlay::detail::fits_role;
    EXPECT_TRUE((fits_role<Role::output, Values>));
    EXPECT_FALSE(
        (fits_role<Role::output, Halves> || fits_role<Role::output, Panels> || fits_role<Role::output, float>));
    EXPECT_TRUE((fits_role<Role::weight, Halves> && fits_role<Role::weight, Panels>));
    EXPECT_FALSE((fits_role<Role::weight, Numbers> || fits_role<Role::weight, float>));
    EXPECT_TRUE((fits_role<Role::tensor, Numbers> && fits_role<Role::tensor, Halves>));
    EXPECT_FALSE((fits_role<Role::tensor, Panels> || fits_role<Role::tensor, float>));
    EXPECT_TRUE((fits_role<Role::scalar, int> && fits_role<Role::scalar, const float*>));
    EXPECT_FALSE((fits_role<Role::scalar, Values> || fits_role<Role::scalar, Panels>));
}

/// The role of each argument and its number in it, spelled out: "o0 w0 t0 s0".
template <class R>
std::string spelled() {
    std::string s;
    for (int i = 0; i < R::all; ++i) {
        if (i) s += ' ';
        s += "owts"[static_cast<int>(R::role(i))];
        s += std::to_string(R::index(i));
    }
    return s;
}
TEST(Arguments, OutputsThenWeightsThenTensorsThenScalars) {
    using inlay::detail::Roles;
    EXPECT_EQ((spelled<Roles<1, 0, 1, 0>>()), "o0 t0");
    EXPECT_EQ((spelled<Roles<2, 1, 3, 2>>()), "o0 o1 w0 t0 t1 t2 s0 s1");
    EXPECT_EQ((spelled<Roles<1, 2, 0, 1>>()), "o0 w0 w1 s0");
    EXPECT_EQ((Roles<2, 1, 3, 2>::tensors), 6);
}

// Scalars are told from tensors by their types: the last tensor is missing, or the last scalar.
TEST(Arguments, TheFirstThatIsMissing) {
    using R = inlay::detail::Roles<1, 1, 2, 2>;
    EXPECT_EQ(R::missing(5, 1), 5);  // the second scalar
    EXPECT_EQ(R::missing(4, 0), 4);  // both: the first of them
    EXPECT_EQ(R::missing(5, 2), 3);  // Buf<1>, though both scalars are there
    EXPECT_EQ(R::missing(3, 2), 1);  // the weight, of all that stand before them
    EXPECT_EQ(R::missing(0, 0), 0);
}

template <class R, class... Args>
inline constexpr bool count = inlay::detail::count_fits<false, R, Args...>();
template <class R, class... Args>
inline constexpr bool kinds = inlay::detail::kinds_fit<false, R, 0>(types<Args...>{});

TEST(Arguments, NumberAndKindsFit) {
    using R = inlay::detail::Roles<1, 1, 1, 1>;
    EXPECT_TRUE((count<R, Values, Panels, Halves, float>));
    EXPECT_FALSE((count<R, Values, Panels, Halves> || count<R, Values, Panels, Halves, float, float> || count<R>));
    EXPECT_TRUE((kinds<R, Values, Panels, Halves, float>));
    EXPECT_TRUE((kinds<R, Numbers, Halves, Numbers, const float*>));
    EXPECT_FALSE((kinds<R, Halves, Panels, Halves, float>));
    EXPECT_FALSE((kinds<R, Values, Numbers, Halves, float>));
    EXPECT_FALSE((kinds<R, Values, Panels, Panels, float>));
    EXPECT_FALSE((kinds<R, Values, Panels, Halves, Values>));
    EXPECT_FALSE((kinds<R, Values, Panels, float, Halves>));
}

}  // namespace
