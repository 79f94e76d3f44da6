// SPDX-License-Identifier: Apache-2.0
/// Numbers of elements and bytes that do not fit: one error of `prepare`, of `pack`, of an arena, each with the
/// extents.
#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/reduce.hpp>

#include <exec/sentence.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay;
using inlay_test::expect_sentence, inlay_test::sentence;

constexpr index_t big = index_t(1) << 32, huge = index_t(1) << 62;

struct copy : Elementwise<Buf<0>> {};
struct sum : Elementwise<Add<Buf<0>, Buf<1>>> {};
struct total : Reduce<reduction::Sum, Axes<0, 1>, Add<Buf<0>, Buf<1>>> {};
struct plain : Linear<> {};

struct Counts : testing::Test {
    std::vector<float> v = std::vector<float>(1000);
    template <int R>
    auto same(const Extents<R>& e) {  // all elements at one address
        return Tensor<float, R>(v.data(), e, Extents<R>{});
    }
    auto t(auto... e) { return tensor(v.data(), e...); }
};

TEST_F(Counts, OfTensors) {
    const std::string many = "has extents that multiply to more than 2^54";
    expect_sentence("copy: output 0 [4294967296, 4294967296] " + many,
                    [&] { prepare<copy>(t(big, big), same(Extents<2>{{big, big}})); });
    expect_sentence("copy: tensor slot 0 [4294967296, 4294967296] " + many,
                    [&] { prepare<copy>(t(2, 2), same(Extents<2>{{big, big}})); });
    expect_sentence("plain: weight 0 [4294967296, 4294967296] " + many,
                    [&] { prepare<plain>(t(2, 2), t(big, big), t(2, 2)); });
    // As in NumPy, axes of extent 0 do not make the others' product fit.
    for (const auto& e : {Extents<3>{{0, big, big}}, {{big, big, 0}}, {{big, 0, big}}})
        expect_sentence(many, [&] { prepare<copy>(Tensor<float, 3>(v.data(), e), Tensor<float, 3>(v.data(), e)); });
    expect_sentence("copy: output 0 [4611686018427387904] " + many, [&] { prepare<copy>(t(huge), t(1)); });
    expect_sentence("copy: output 0 [18014398509481984] spans more than 2^54 bytes with the strides [1]",
                    [&] { prepare<copy>(t(index_t(1) << 54), t(1)); });
}

TEST_F(Counts, OfStrides) {
    const auto strided = [&](index_t s) { return Tensor<float, 2>(v.data(), {{3, 2}}, {{s, 1}}); };
    for (const index_t s : {huge, -huge, too_many, -too_many - 1})
        expect_sentence("copy: tensor slot 0 [3, 2] spans more than 2^54 bytes with the strides " +
                            std::string(text(Extents<2>{{s, 1}})),
                        [&] { prepare<copy>(t(3, 2), strided(s)); });
    EXPECT_EQ(sentence([&] { prepare<copy>(t(3, 2), strided(index_t(1) << 50)); }), "");
    // Strides of a tensor without elements reach nothing.
    EXPECT_EQ(sentence([&] { prepare<copy>(t(0, 2), Tensor<float, 2>(v.data(), {{0, 2}}, {{huge, huge}})); }), "");
}

TEST_F(Counts, OfExpressions) {
    const std::string many = ": its extents multiply to more than 2^54: ";
    const auto column = same(Extents<2>{{big, 1}}), row = same(Extents<2>{{1, big}});
    expect_sentence(many + "[4294967296, 4294967296]", [&] { prepare<total>(t(1, 1), column, row); });
    const auto refuses = [&]<class E>(E, const std::string& extents, const auto&... slots) {
        expect_sentence(std::string(name<E>()) + many + extents,
                        [&] { prepare<Elementwise<E>>(t(1, 1, 1, 1), slots...); });
    };
    const auto line = same(Extents<1>{{index_t(1) << 40}});
    const std::string most = std::string(decimal_text(too_many));
    refuses(Upsample<Buf<0>, (1 << 20), -1>{}, "[1152921504606846976]", line);
    refuses(Upsample<Buf<0>, (1 << 30), -1>{}, "[" + most + "]", line);
    refuses(Dilate<Buf<0>, (1 << 30), -1>{}, "[" + most + "]", line);
    refuses(Pad<Buf<0>, -1, huge, huge>{}, "[" + most + "]", line);
    refuses(Pad<Buf<0>, -1, 0, (index_t(1) << 54)>{}, "[18015498021109760]", line);
    const auto half_of = same(Extents<1>{{index_t(1) << 54}});
    refuses(Concat<-1, Buf<0>, Buf<0>>{}, "[36028797018963968]", half_of);
    refuses(Gather<Buf<0>, Buf<1>, 0>{}, "[4294967296, 4294967296]", same(Extents<2>{{2, big}}),
            Tensor<std::int32_t, 1>(nullptr, {{big}}, {{0}}));
    refuses(Im2col<Buf<0>, (1 << 14), (1 << 14), 1, (1 << 14)>{}, "[1, 16395, 16395, 274877906944]",
            same(Extents<4>{{1, 10, 10, 1024}}));
    expect_sentence(": [1099511627776] has 1099511627776 elements, [4294967296, 4294967296] has " + most,
                    [&] { prepare<Elementwise<Reshape<Buf<0>, big, big>>>(t(1, 1), line); });
    expect_sentence(": [0, " + most + ") is outside axis 0 of [1099511627776]",
                    [&] { prepare<Elementwise<Slice<Buf<0>, 0, 0, too_many>>>(t(1), line); });
    expect_sentence(": [4611686018427387904, " + most + ") is outside axis 0 of [1099511627776]",
                    [&] { prepare<Elementwise<Slice<Buf<0>, 0, huge, huge>>>(t(1), line); });
}

TEST_F(Counts, OfReshapedTensors) {
    EXPECT_EQ(sentence([&] { reshaped(t(0, 4), big, big); }),
              "inlay: reshaped: [0, 4] does not hold as many elements as [4294967296, 4294967296]");
    EXPECT_EQ(sentence([&] { reshaped(t(2, 2), -2, -2); }), "inlay: reshaped: negative extents: [-2, -2]");
}

TEST_F(Counts, OfPackedWeights) {
    Host host(1);
    const std::string what = " cannot be packed: expected no negative number, and no more than 2^54 elements";
    EXPECT_EQ(sentence([&] { Host::packed_size(1, big, big); }),
              "inlay: a weight of 1 blocks [4294967296, 4294967296]" + what);
    EXPECT_EQ(sentence([&] { Host::packed_size(big, big, 1); }),
              "inlay: a weight of 4294967296 blocks [4294967296, 1]" + what);
    EXPECT_EQ(sentence([&] { Host::packed_size(1, -3, 4); }), "inlay: a weight of 1 blocks [-3, 4]" + what);
    EXPECT_EQ(sentence([&] { host.pack(t(big, big), v.data()); }),
              "inlay: a tensor [4294967296, 4294967296] of fp32 has more than 2^54 bytes");
    // Rounded up to whole panels it still fits.
    EXPECT_GT(Host::packed_size(1, 1, index_t(1) << 53), index_t(1) << 53);
}

TEST_F(Counts, OfMemory) {
    std::vector<char> block(4096);
    Arena arena(block.data(), block.size());
    EXPECT_EQ(sentence([&] { arena.take(SIZE_MAX); }),
              "inlay: an arena of 4096 bytes has no 18446744073709551615 bytes left in one piece");
    EXPECT_EQ(sentence([&] { Temporary<float, 2>(arena, {{big, big}}); }),
              "inlay: a tensor [4294967296, 4294967296] of fp32 has more than 2^54 bytes");
    EXPECT_EQ(sentence([&] { HostMemory(SIZE_MAX - 4); }),
              "inlay: out of memory: 18446744073709551611 bytes were asked for");
    EXPECT_EQ(arena.measured(), 0u);
}

}  // namespace
