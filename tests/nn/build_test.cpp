// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/nn/build.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay;

struct twice : Elementwise<Add<Buf<0>, Buf<0>>> {};

TEST(Build, NamesAreJoinedByDots) {
    Program<Host> program;
    Arena arena;
    const nn::Build<float, Host> root{&program, &arena, ""};
    EXPECT_EQ((root / "down_blocks" / 0 / "resnets").name, "down_blocks.0.resnets");
    std::vector<float> x(2);
    root.add<twice>("first", tensor(x.data(), 2), tensor(x.data(), 2));
    (root / "unet" / 3).add<twice>("second", tensor(x.data(), 2), tensor(x.data(), 2));
    const auto launches = program.launches();
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].layer, "first");
    EXPECT_EQ(launches[1].layer, "unet.3.second");
}

TEST(Build, TemporariesAreTheArenas) {
    Program<Host> program;
    std::vector<float> memory(1024);
    Arena arena(memory.data(), memory.size() * sizeof(float));
    const nn::Build<float, Host> b{&program, &arena, ""};
    float* first;
    {
        const auto x = b.temporary(2, 3);
        first = x->data;
        EXPECT_EQ(x->extents, (Extents<2>{{2, 3}}));
        EXPECT_EQ(b.like(*x)->extents, x->extents);
        EXPECT_NE(b.like(*x)->data, first);
    }
    EXPECT_EQ(b.temporary(2, 3)->data, first);  // given back at the end of the scope
}

TEST(Flat, JoinsAllAxesButTheLast) {
    std::vector<fp16> v(2 * 3 * 4 * 5);
    const Tensor<fp16, 4> t(v.data(), {{2, 3, 4, 5}});
    const auto f = nn::flat(t);
    EXPECT_EQ(f.data, v.data());
    EXPECT_EQ(f.extents, (Extents<2>{{24, 5}}));
    EXPECT_EQ(nn::flat(Tensor<fp16, 3>(v.data(), {{2, 0, 5}})).extents, (Extents<2>{{0, 5}}));
    EXPECT_EQ(nn::flat(Tensor<fp16, 3>(v.data(), {{2, 3, 0}})).extents, (Extents<2>{{0, 0}}));
    const Tensor<fp16, 3> gaps(v.data(), {{2, 3, 4}}, {{60, 20, 1}});
    EXPECT_THROW(nn::flat(gaps), Error);
}

TEST(HeadDim, OneOfThoseNamed) {
    int seen = 0, calls = 0;
    const auto note = [&]<int D>() {
        seen = D;
        ++calls;
    };
    nn::with_head_dim<32, 40, 64>(40, note);
    EXPECT_EQ(seen, 40);
    EXPECT_EQ(calls, 1);
    try {
        nn::with_head_dim<32, 40, 64>(48, note);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: a head dimension of 48 is not among 32, 40, 64");
    }
    EXPECT_EQ(calls, 1);
}

}  // namespace
