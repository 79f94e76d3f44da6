// SPDX-License-Identifier: Apache-2.0
#include <core/vec_cases.hpp>

namespace {

using inlay::Vec;

TEST(VecNative, IsOneRegisterOrAFew) {
    static_assert(INLAY_NATIVE_VECTORS);
    static_assert(sizeof(Vec<float, 4>) == 16 && sizeof(Vec<double, 2>) == 16 && sizeof(Vec<double, 16>) == 128);
    static_assert(sizeof(inlay::fvec) == inlay::host_vector_bytes);
}
TEST(VecNative, ExactOperationsAreThoseOfTheScalars) {
    exact_operations<Vec<float, 4>>();
    exact_operations<inlay::fvec>();
    exact_operations<Vec<float, 16>>();
    exact_operations<Vec<double, 2>>();
    exact_operations<Vec<double, 8>>();
}
TEST(VecNative, Lanes) {
    lanes<Vec<float, 4>>();
    lanes<Vec<float, 8>>();
    lanes<Vec<float, 16>>();
    lanes<Vec<double, 2>>();
    lanes<Vec<double, 8>>();
    lanes<Vec<std::int32_t, 4>>();
    lanes<Vec<std::int32_t, 16>>();
}
TEST(VecNative, FoldsSeeEveryLane) {
    folds_see_every_lane<Vec<float, 4>>();
    folds_see_every_lane<Vec<float, 16>>();
    folds_see_every_lane<Vec<double, 2>>();
}
TEST(VecNative, Converts) {
    converts<Vec<float, 4>, Vec<std::int32_t, 4>>();
    converts<Vec<float, 16>, Vec<std::int32_t, 16>>();
}

}  // namespace
