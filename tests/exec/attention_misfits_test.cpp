// SPDX-License-Identifier: Apache-2.0
/// Tensors that do not fit an attention's score, mask or row: one sentence of `prepare` each.
#include "sentence.hpp"

#include <frame/array.hpp>

#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class... Options>
struct of : Attention<64, Buf<0>, Buf<1>, Buf<2>, Options...> {};
struct biased : of<score::Of<Add<Out, Buf<3>>>> {};
struct ended : of<mask::If<Less<Coord<3>, Buf<3>>>> {};
struct hiding : of<score::Of<Where<Less<Coord<3>, Buf<3>>, Out, HiddenScore>>> {};
struct sunk : of<row::Sink<Buf<3>>> {};
struct logged : of<RowStore<1, row::LogSumExp>> {};
struct shifted : of<RowStore<1, Add<KeyMax<Score>, Buf<3>>>> {};
struct narrow : of<ValueColumns<32>> {};

struct AttentionMisfits : ::testing::Test {
    Array<float, 4> q = unwritten<float>(2, 4, 9, 64), k = unwritten<float>(2, 4, 77, 64), y = q;
    Array<float, 3> rows = unwritten<float>(2, 4, 9);

    template <class F>
    static void expect(F&& f, const std::string& part) {
        const std::string said = sentence(f);
        EXPECT_NE(said.find(part), std::string::npos) << said;
    }
};

TEST_F(AttentionMisfits, BiasThatDoesNotBroadcast) {
    const auto shorter = unwritten<float>(4, 9, 76);
    expect([&] { prepare<biased>(*y, *q, *k, *k, *shorter); },
           "Add<Out, Buf<3>>: cannot broadcast [2, 4, 9, 77] with [4, 9, 76]");
    const auto of_keys = unwritten<float>(77);
    const auto of_all = unwritten<float>(2, 4, 9, 77);
    EXPECT_EQ(sentence([&] { prepare<biased>(*y, *q, *k, *k, *of_keys); }), "");
    EXPECT_EQ(sentence([&] { prepare<biased>(*y, *q, *k, *k, *of_all); }), "");
}
TEST_F(AttentionMisfits, ConditionOfAnotherShape) {
    const auto three = unwritten<float>(3, 1, 1, 1);
    expect([&] { prepare<ended>(*y, *q, *k, *k, *three); }, "cannot broadcast [3, 1, 1, 1] with [2, 4, 9, 77]");
    expect([&] { prepare<hiding>(*y, *q, *k, *k, *three); }, "cannot broadcast [3, 1, 1, 1] with [2, 4, 9, 77]");
}
TEST_F(AttentionMisfits, SlotOfARowThatVariesAlongTheKeys) {
    const auto varies = unwritten<float>(4, 1, 77), of_heads = unwritten<float>(4, 1, 1);
    const std::string part = "the row reads Buf<3> with extents [4, 1, 77], which do not broadcast over its rows "
                             "[2, 4, 9, 1]";
    expect([&] { prepare<sunk>(*y, *q, *k, *k, *varies); }, part);
    expect([&] { prepare<shifted>(*y, *rows, *q, *k, *k, *varies); }, part);
    EXPECT_EQ(sentence([&] { prepare<sunk>(*y, *q, *k, *k, *of_heads); }), "");
}
TEST_F(AttentionMisfits, RowStoreOfAnotherShape) {
    auto more = unwritten<float>(2, 4, 10);
    expect([&] { prepare<logged>(*y, *more, *q, *k, *k); }, "the numbers of rows are [2, 4, 9], output 1 is [2, 4, 10]");
    EXPECT_EQ(sentence([&] { prepare<logged>(*y, *rows, *q, *k, *k); }), "");
}
TEST_F(AttentionMisfits, ColumnsOfValues) {
    auto half = unwritten<float>(2, 4, 9, 32);
    const auto v = unwritten<float>(2, 4, 77, 32);
    expect([&] { prepare<narrow>(*half, *q, *k, *k); }, "the head dimension is 64, of V 32, Q is [2, 4, 9, 64]");
    EXPECT_EQ(sentence([&] { prepare<narrow>(*half, *q, *k, *v); }), "");
}

}  // namespace
