// SPDX-License-Identifier: Apache-2.0
/// `explain` of softmax and the norms: the kernel of a GroupNorm, and the bound of a launch, with the arithmetic.
#include <inlay/inlay.hpp>
#include <inlay/report/explain.hpp>

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
struct swapped : GroupNorm<32, Permute<Buf<0>, 0, 2, 3, 1>> {};
struct layer : LayerNorm<> {};
struct soft : Softmax<> {};

template <class K, class... In>
std::string group_norm(const TargetInfo& t, index_t size, index_t channels, const In&... in) {
    return lines<K>(t, shape<fp16>(2, size, size, channels), shape<fp16>(channels), shape<fp16>(channels), in...);
}

TEST(ExplainNorm, GroupNormByClusters) {
    EXPECT_EQ(group_norm<silu_of>(sm90a_target, 64, 320, shape<fp16>(2, 64, 64, 320)), R"(
  schedule  16 clusters of 6 blocks of 384 threads, each 40 channels of an item (by rule, fitted on an H200)
  bound     latency; by rule 7.3 us = begin 2.3 + meet 0.4 + add 0.1 + 9 pixels x 0.02 + warps 1.6 + bytes 2.7, of all: memory 3.1
)");
    EXPECT_EQ(group_norm<skip>(sm90a_target, 64, 640, shape<fp16>(2, 64, 64, 320), shape<fp16>(2, 64, 64, 320)), R"(
  schedule  16 clusters of 6 blocks of 384 threads, each 80 channels of an item (by rule, fitted on an H200)
  bound     memory; by rule 10.7 us = begin 2.3 + meet 0.4 + add 0.1 + 18 pixels x 0.02 + warps 3.2 + bytes 4.3, of all: memory 6.3
)");
    // Evaluated: floats are kept.
    EXPECT_EQ(group_norm<sum>(sm90a_target, 8, 1280, shape<fp16>(2, 8, 8, 1280), shape<fp16>(2, 8, 8, 1280)), R"(
  schedule  64 blocks of 128 threads, each 40 channels of an item (by rule, fitted on an H200)
  bound     latency; by rule 3.3 us = begin 2.3 + meet 0.0 + add 0.1 + 3 pixels x 0.02 + warps 0.6 + bytes 0.3, of all: memory 0.3
)");
}
TEST(ExplainNorm, GroupNormByThePortableKernel) {
    // In ranges of 8 channels a sector of memory is read twice.
    EXPECT_EQ(group_norm<silu_of>(sm90a_target, 256, 256, shape<fp16>(2, 256, 256, 256)), R"(
  schedule  cooperative: 4 teams of 33 blocks of 512 threads, each a slab of 1986 pixels of 128 channels of an item,
            19 of 63 pixels of a thread kept on chip, the others read twice (by rule)
  bound     memory; latency 5.2 us (measured on an H200), of all: memory 40.0
)");
    EXPECT_EQ(group_norm<silu_of>(sm90_target, 8, 1280, shape<fp16>(2, 8, 8, 1280)), R"(
  schedule  64 blocks of 512 threads, each 40 channels of an item, all kept on chip (by rule)
  bound     latency; latency 5.2 us (measured on an H200), of all: memory 0.2
)");
    // Evaluated to floats: a sum, and what is no run of channels.
    EXPECT_EQ(group_norm<sum>(sm80_target, 64, 320, shape<fp16>(2, 64, 64, 320), shape<fp16>(2, 64, 64, 320)), R"(
  schedule  cooperative: 8 teams of 13 blocks of 384 threads, each a slab of 316 pixels of 80 channels of an item,
            all kept on chip (by rule)
)");
    EXPECT_EQ(group_norm<swapped>(sm80_target, 64, 320, shape<fp16>(2, 320, 64, 64)),
              group_norm<sum>(sm80_target, 64, 320, shape<fp16>(2, 64, 64, 320), shape<fp16>(2, 64, 64, 320)));
}
TEST(ExplainNorm, Rows) {
    const auto layer_norm = [](index_t m, index_t n) {
        return lines<layer>(sm90a_target, shape<fp16>(m, n), shape<fp16>(n), shape<fp16>(n), shape<fp16>(m, n));
    };
    EXPECT_EQ(layer_norm(154, 768), R"(
  schedule  packed rows: 77 blocks of 64 threads, 32 a row, each up to 3 chunks of 8 elements
  bound     latency; latency 1.9 us (measured on an H200), of all: memory 0.1
)");
    EXPECT_EQ(layer_norm(65536, 1024), R"(
  schedule  rows in registers: 32768 blocks of 64 threads, 32 a row, each up to 4 chunks of 8 elements
  bound     memory; latency 1.9 us (measured on an H200), of all: memory 80.1
)");
    EXPECT_EQ(lines<soft>(sm90_target, shape<float>(65536, 1024), shape<float>(65536, 1024)), R"(
  schedule  rows in registers: 65536 blocks of 64 threads, 64 a row, each up to 4 chunks of 4 elements
  bound     memory; latency 1.9 us (measured on an H200), of all: memory 160.2
)");
}
TEST(ExplainNorm, NoBoundWhereLatenciesAreNotKnown) {
    EXPECT_EQ(lines<soft>(sm80_target, shape<float>(8, 1024), shape<float>(8, 1024)), R"(
  schedule  rows in registers: 8 blocks of 256 threads, 256 a row, each a chunk of 4 elements
)");
    EXPECT_EQ(lines<soft>(host_target, shape<float>(8, 1024), shape<float>(8, 1024)), R"(
  schedule  one pass over rows
)");
    EXPECT_EQ(lines<soft>(host_target, shape<float>(8, 0), shape<float>(8, 0)), R"(
  schedule  none: no elements, or a frame that names no member of a target
)");
}

}  // namespace
