// SPDX-License-Identifier: Apache-2.0
/// What `explain` says of softmax and the norms: who runs a GroupNorm, and what bounds a launch, with the arithmetic.
#include <inlay/inlay.hpp>
#include <inlay/plan/explain.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

template <Storage T, class... I>
auto shape(I... extents) {
    return tensor<T>(nullptr, extents...);
}
/// The lines "schedule" and "bound".
template <class K, class... Args>
std::string lines(const TargetInfo& t, const Args&... args) {
    const std::string s = explain(describe<K>(prepare<K>(args...)), t);
    const auto from = s.find("\n  schedule");
    return s.substr(from, s.find("\n  work") - from) + "\n";
}

struct silu_of : GroupNorm<32, Buf<0>, Silu<Out>> {};
struct skip : GroupNorm<32, Concat<-1, Buf<0>, Buf<1>>> {};
struct sum : GroupNorm<32, Add<Buf<0>, Buf<1>>> {};
struct layer : LayerNorm<> {};
struct soft : Softmax<> {};

template <class K, class... In>
std::string group_norm(const TargetInfo& t, index_t size, index_t channels, const In&... in) {
    return lines<K>(t, shape<half>(2, size, size, channels), shape<half>(channels), shape<half>(channels), in...);
}

TEST(ExplainNorm, GroupNormByClusters) {
    EXPECT_EQ(group_norm<silu_of>(sm90a_target, 64, 320, shape<half>(2, 64, 64, 320)), R"(
  schedule  16 clusters of 8 blocks of 256 threads, each 40 channels of an item (by rule, fitted on an H200)
  bound     threads; by rule 9.2 us = begin 1.8 + meet 0.6 + add 0.6 + 11 pixels x 0.2 + warps 1.2 + bytes 2.8, of all: memory 3.1
)");
    EXPECT_EQ(group_norm<skip>(sm90a_target, 64, 640, shape<half>(2, 64, 64, 320), shape<half>(2, 64, 64, 320)), R"(
  schedule  32 clusters of 8 blocks of 256 threads, each 40 channels of an item (by rule, fitted on an H200)
  bound     memory; by rule 12.5 us = begin 1.8 + meet 0.6 + add 0.6 + 11 pixels x 0.2 + warps 1.8 + bytes 5.6, of all: memory 6.3
)");
    // Evaluated: floats are kept.
    EXPECT_EQ(group_norm<sum>(sm90a_target, 8, 1280, shape<half>(2, 8, 8, 1280), shape<half>(2, 8, 8, 1280)), R"(
  schedule  64 blocks of 128 threads, each 40 channels of an item (by rule, fitted on an H200)
  bound     latency; by rule 3.6 us = begin 1.8 + meet 0.0 + add 0.6 + 3 pixels x 0.2 + warps 0.3 + bytes 0.3, of all: memory 0.3
)");
}
TEST(ExplainNorm, GroupNormByThePortableKernel) {
    // 16 clusters of 8 blocks, of which 15 run at once.
    EXPECT_EQ(group_norm<silu_of>(sm90a_target, 64, 960, shape<half>(2, 64, 64, 960)), R"(
  schedule  one pass over rows
  bound     memory; latency 5.2 us (measured on an H200), of all: memory 9.4
)");
    EXPECT_EQ(group_norm<silu_of>(sm90_target, 8, 1280, shape<half>(2, 8, 8, 1280)), R"(
  schedule  one pass over rows
  bound     latency; latency 5.2 us (measured on an H200), of all: memory 0.2
)");
}
TEST(ExplainNorm, Rows) {
    const auto layer_norm = [](index_t m, index_t n) {
        return lines<layer>(sm90a_target, shape<half>(m, n), shape<half>(n), shape<half>(n), shape<half>(m, n));
    };
    EXPECT_EQ(layer_norm(154, 768), R"(
  schedule  one pass over rows
  bound     latency; latency 1.9 us (measured on an H200), of all: memory 0.1
)");
    EXPECT_EQ(layer_norm(65536, 1024), R"(
  schedule  one pass over rows
  bound     memory; latency 1.9 us (measured on an H200), of all: memory 80.1
)");
    EXPECT_EQ(lines<soft>(sm90_target, shape<float>(65536, 1024), shape<float>(65536, 1024)), R"(
  schedule  one pass over rows
  bound     memory; latency 1.9 us (measured on an H200), of all: memory 160.2
)");
}
TEST(ExplainNorm, NoBoundWhereLatenciesAreNotKnown) {
    EXPECT_EQ(lines<soft>(sm80_target, shape<float>(8, 1024), shape<float>(8, 1024)), R"(
  schedule  one pass over rows
)");
    EXPECT_EQ(lines<soft>(host_target, shape<float>(8, 0), shape<float>(8, 0)), R"(
  schedule  one pass over rows
)");
}

}  // namespace
