// SPDX-License-Identifier: Apache-2.0
/// Facts of rows, from kernels whose rows are stored as they are read, or are not.
#include <inlay/inlay.hpp>
#include <inlay/plan/norm/rows.hpp>
#include <inlay/report/describe.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

struct layer : LayerNorm<> {};
struct layer_silu : LayerNorm<Buf<0>, Silu<Out>> {};
struct layer_of_sum : LayerNorm<Add<Buf<0>, Buf<1>>> {};
struct layer_of_two : LayerNorm<Concat<-1, Buf<0>, Buf<1>>> {};
struct rms : RMSNorm<> {};
struct soft : Softmax<> {};
struct padded : Softmax<Pad<Buf<0>, -1, 8, 8>> {};

template <Storage T = fp16, class... I>
auto at(index_t element, I... extents) {
    return tensor(reinterpret_cast<T*>(4096 + element * static_cast<index_t>(sizeof(T))), extents...);
}
template <class K, class... Args>
NormProblem problem(const Args&... args) {
    return describe<K>(prepare<K>(args...)).norm;
}
template <class K, class... Args>
std::string why(const Args&... args) {
    const char* const reason = problem<K>(args...).rows.not_stored;
    return reason ? reason : "stored";
}

TEST(RowsProblem, Numbers) {
    const NormProblem p = problem<layer>(at(0, 2, 3, 64), at(0, 64), at(0, 64), at(0, 2, 3, 64));
    EXPECT_EQ(p.items, 6);
    EXPECT_EQ(p.channels, 64);
    EXPECT_EQ(p.groups, 0);
    EXPECT_EQ(p.element, 2);
    EXPECT_EQ(p.rows.lanes, 8);
    EXPECT_TRUE(p.rows.scales);
    EXPECT_FALSE(problem<soft>(at(0, 2, 64), at(0, 2, 64)).rows.scales);
    EXPECT_EQ(problem<soft>(at<float>(0, 2, 64), at(0, 2, 64)).rows.lanes, 4);
    EXPECT_EQ(problem<soft>(at(0, 2, 0), at(0, 2, 0)).items, 0);
}
TEST(RowsProblem, RowsThatAreStoredAsTheyAreRead) {
    const auto x = at(0, 2, 64), y = x;
    const auto g = at(0, 64);
    EXPECT_EQ((why<layer>(y, g, g, x)), "stored");
    EXPECT_EQ((why<soft>(y, x)), "stored");
    const std::string types = "rows are not read and stored as they are, in one type";
    EXPECT_EQ((why<layer_silu>(y, g, g, x)), types);
    EXPECT_EQ((why<layer_of_sum>(y, g, g, x, x)), types);
    EXPECT_EQ((why<layer>(y, at<float>(0, 64), g, x)), types);
    EXPECT_EQ((why<soft>(at<float>(0, 2, 64), x)), types);
    const std::string chunks = "rows are not whole chunks of 16 bytes";
    EXPECT_EQ((why<layer>(y, g, g, at(1, 2, 64))), chunks);
    EXPECT_EQ((why<layer>(at(1, 2, 64), g, g, x)), chunks);
    EXPECT_EQ((why<layer>(y, g, at(1, 64), x)), chunks);
    EXPECT_EQ((why<soft>(at(0, 2, 60), at(0, 2, 60))), chunks);
}
TEST(RowsProblem, BytesOfOperandsThatCanBeCopied) {
    const auto x = at(0, 2, 64), y = x;
    const auto g = at(0, 64);
    EXPECT_EQ((problem<layer>(y, g, at<float>(0, 64), x).rows.operands), 64 * 2 + 64 * 4);
    EXPECT_EQ((problem<rms>(y, g, x).rows.operands), 64 * 2);
    EXPECT_EQ((problem<layer>(y, g, at(1, 64), x).rows.operands), 0) << "not aligned";
    EXPECT_EQ((problem<rms>(at(0, 2, 60), at(0, 60), at(0, 2, 60)).rows.operands), 0) << "120 bytes";
    EXPECT_EQ((problem<soft>(y, x).rows.operands), 0);
}
TEST(RowsProblem, BytesOfAnElementThatStreamedRowsKeep) {
    const auto x = at(0, 2, 64);
    const auto g = at(0, 64);
    EXPECT_EQ((problem<layer_silu>(x, g, g, x).rows.streamed), 2) << "its input is only read";
    EXPECT_EQ((problem<layer_of_two>(at(0, 2, 128), at(0, 128), at(0, 128), x, x).rows.streamed), 2);
    EXPECT_EQ((problem<layer_of_sum>(x, g, g, x, x).rows.streamed), 4);
    EXPECT_EQ((problem<padded>(at(0, 2, 80), x).rows.streamed), 4) << "what it is filled with";
    EXPECT_EQ((problem<soft>(at<float>(0, 2, 64), x).rows.streamed), 4) << "in chunks of 4";
}

}  // namespace
