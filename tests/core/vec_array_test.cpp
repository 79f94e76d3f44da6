// SPDX-License-Identifier: Apache-2.0
/// The vectors of device code, on the host. Their namespace is their own, since the program has the others too.
#include <inlay/core/config.hpp>

#undef INLAY_NATIVE_VECTORS
#define INLAY_NATIVE_VECTORS 0
#undef INLAY_ABI
#define INLAY_ABI abi_arrays

#include <core/vec_cases.hpp>

namespace {

using inlay::Vec;

TEST(VecArray, IsItsLanes) {
    static_assert(sizeof(Vec<float, 3>) == 12 && alignof(Vec<float, 4>) == alignof(float));
    static_assert(std::is_trivially_copyable_v<Vec<float, 8>>);
    constexpr Vec<float, 3> x = Vec<float, 3>(2.f) * 3.f - 1.f;
    static_assert(x[0] == 5.f && x[2] == 5.f && (-x)[1] == -5.f);
}
TEST(VecArray, ExactOperationsAreThoseOfTheScalars) {
    exact_operations<Vec<float, 1>>();
    exact_operations<Vec<float, 4>>();
    exact_operations<Vec<float, 7>>();
    exact_operations<Vec<double, 2>>();
}
// The other kind has polynomials for these.
TEST(VecArray, EveryFunctionIsThatOfTheScalars) {
    using V = Vec<float, 8>;
    unary<V>("exp", [](auto x) { return m::exp(x); });
    unary<V>("quick_exp", [](auto x) { return m::quick_exp(x); });
    unary<V>("exp2", [](auto x) { return m::exp2(x); });
    unary<V>("log", [](auto x) { return m::log(x); });
    unary<V>("tanh", [](auto x) { return m::tanh(x); });
    unary<V>("erf", [](auto x) { return m::erf(x); });
    unary<V>("coarse_tanh", [](auto x) { return m::coarse_tanh(x); });
    unary<V>("coarse_tail", [](auto x) { return m::coarse_tail(x); });
}
TEST(VecArray, Lanes) {
    lanes<Vec<float, 1>>();
    lanes<Vec<float, 4>>();
    lanes<Vec<float, 5>>();
    lanes<Vec<double, 7>>();
    lanes<Vec<std::int32_t, 8>>();
}
TEST(VecArray, FoldsSeeEveryLane) {
    folds_see_every_lane<Vec<float, 1>>();
    folds_see_every_lane<Vec<float, 3>>();
    folds_see_every_lane<Vec<float, 8>>();
    folds_see_every_lane<Vec<double, 6>>();
}
TEST(VecArray, Converts) {
    converts<Vec<float, 4>, Vec<std::int32_t, 4>>();
    converts<Vec<float, 3>, Vec<std::int32_t, 3>>();
}

}  // namespace
