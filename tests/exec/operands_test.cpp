// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/exec/operands.hpp>
#include <inlay/inlay.hpp>

#include <exec/sentence.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay;
using inlay_test::sentence;

struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct stretched : Elementwise<Broadcast<Buf<0>, Buf<1>>> {};

struct OperandsTest : testing::Test {
    std::vector<float> v = std::vector<float>(100);
    Host host{1};
    auto t(auto... e) { return tensor(v.data(), e...); }
    auto none(auto... e) { return tensor(static_cast<float*>(nullptr), e...); }
};

TEST_F(OperandsTest, ExtentsAreNotNegative) {
    EXPECT_EQ(sentence([&] { prepare<biased>(t(2, 3), t(3, 4), t(-4, 16), t(3)); }),
              "inlay: biased: tensor slot 0 has a negative extent: [-4, 16]");
    EXPECT_EQ(sentence([&] { prepare<biased>(t(2, 3), Packed<float, 2>{v.data(), {{-3, 4}}}, t(2, 4), t(3)); }),
              "inlay: biased: weight 0 has a negative extent: [-3, 4]");
}

TEST_F(OperandsTest, ElementsOfAnOutputHaveAddressesOfTheirOwn) {
    const auto output = [&](index_t rows) { return Tensor<float, 2>(v.data(), {{rows, 3}}, {{0, 1}}); };
    EXPECT_EQ(sentence([&] { prepare<biased>(output(2), t(3, 4), t(2, 4), t(3)); }),
              "inlay: biased: output 0 [2, 3] has stride 0 along axis 0, expected an address for each element");
    EXPECT_EQ(sentence([&] { prepare<biased>(t(2, 0), t(0, 4), t(2, 4), t(1)); }), "");
    EXPECT_EQ(sentence([&] { prepare<biased>(output(1), t(3, 4), t(1, 4), t(3)); }), "");
    const Tensor<float, 2> one_row(v.data(), {{2, 4}}, {{0, 1}});
    EXPECT_EQ(sentence([&] { prepare<biased>(t(2, 3), t(3, 4), one_row, t(3)); }), "");
}

TEST_F(OperandsTest, OnlyAPlanIsMadeOfNull) {
    const auto run = [&](auto y, auto w, auto x, auto b) {
        return sentence([&] { prepare<biased>(y, w, x, b).run(host); });
    };
    EXPECT_EQ(sentence([&] { prepare<biased>(none(2, 3), none(3, 4), none(2, 4), none(3)); }), "");
    EXPECT_EQ(run(none(2, 3), t(3, 4), t(2, 4), t(3)), "inlay: biased: output 0 [2, 3] is null");
    EXPECT_EQ(run(t(2, 3), none(3, 4), t(2, 4), t(3)), "inlay: biased: weight 0 [3, 4] is null");
    EXPECT_EQ(run(t(2, 3), Packed<float, 2>{nullptr, {{3, 4}}}, t(2, 4), t(3)),
              "inlay: biased: weight 0 [3, 4] is null");
    EXPECT_EQ(run(t(2, 3), t(3, 4), t(2, 4), none(3)), "inlay: biased: tensor slot 1 [3] is null");
    EXPECT_EQ(run(none(0, 3), t(3, 4), none(0, 4), t(3)), "");
}

TEST_F(OperandsTest, OfWhatBroadcastStretchesToOnlyExtentsAreRead) {
    EXPECT_EQ(sentence([&] { prepare<stretched>(t(2, 3), t(3), none(2, 3)).run(host); }), "");
}

}  // namespace
