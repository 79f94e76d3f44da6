// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/tensor.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

static_assert(is_tensor<Tensor<float, 2>> && !is_tensor<float*>);
static_assert(std::is_convertible_v<Tensor<float, 2>, Tensor<const float, 2>>);
static_assert(!std::is_convertible_v<Tensor<const float, 2>, Tensor<float, 2>>);
static_assert(std::is_trivially_copyable_v<Tensor<float, 4>>);

float numbers[24];

TEST(Tensor, IsRowMajor) {
    for (int i = 0; i < 24; ++i) numbers[i] = static_cast<float>(i);
    const auto t = tensor(numbers, 2, 3, 4);
    static_assert(decltype(t)::rank == 3);
    EXPECT_EQ(t.strides, (Extents<3>{{12, 4, 1}}));
    EXPECT_EQ(t.size(), 24);
    EXPECT_TRUE(t.contiguous());
    EXPECT_EQ(t({{1, 2, 3}}), 23);
    t({{1, 0, 1}}) = -1;
    EXPECT_EQ(numbers[13], -1);
}

TEST(Tensor, Strides) {
    const Tensor<float, 2> transposed(numbers, {{4, 3}}, {{1, 4}}), pitched(numbers, {{2, 3}}, {{12, 1}});
    EXPECT_FALSE(transposed.contiguous());
    EXPECT_FALSE(pitched.contiguous());
    EXPECT_EQ(&transposed({{3, 2}}), numbers + 11);
    const Tensor<float, 2> one_row(numbers, {{1, 3}}, {{999, 1}});
    EXPECT_TRUE(one_row.contiguous());  // the stride of an axis of extent 1 means nothing
}

TEST(Tensor, Reshaped) {
    const auto t = reshaped(tensor(numbers, 2, 3, 4), 6, 4);
    EXPECT_EQ(t.data, numbers);
    EXPECT_EQ(t.extents, (Extents<2>{{6, 4}}));
    const auto sentence = [](auto&& f) -> std::string {
        try {
            f();
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(sentence([] { reshaped(tensor(numbers, 2, 3, 4), 5, 5); }),
              "inlay: reshaped: [2, 3, 4] does not hold as many elements as [5, 5]");
    EXPECT_EQ(sentence([] { reshaped(Tensor<float, 2>(numbers, {{4, 3}}, {{1, 4}}), 12); }),
              "inlay: reshaped: the tensor [4, 3] is not dense");
}

}  // namespace
