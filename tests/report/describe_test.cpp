// SPDX-License-Identifier: Apache-2.0
/// The report of a prepared kernel.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

using Geglu = Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>;
struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};

TEST(Describe, BytesAreThoseReadOnce) {
    struct half_of_it : Linear<Mul<Slice<Buf<0>, -1, 0, 32>, Slice<Buf<0>, -1, 0, 32>>> {};
    struct wide : Elementwise<Upsample2x<Slice<Buf<0>, -1, 0, 8>>> {};
    const auto bytes = [](const KernelReport& l) { return l.operands[0].bytes; };
    EXPECT_EQ(bytes(describe<proj2>(prepare<proj2>(shape<fp16>(4, 320), shape<fp16>(320, 1280), shape<fp16>(4, 2560),
                                                   shape<fp16>(320), shape<fp16>(4, 320)))), 2 * 4 * 2560);
    EXPECT_EQ(
        bytes(describe<half_of_it>(prepare<half_of_it>(shape<fp16>(4, 8), shape<fp16>(8, 32), shape<fp16>(4, 64)))),
        2 * 4 * 32);
    EXPECT_EQ(bytes(describe<wide>(prepare<wide>(shape<fp16>(1, 8, 8, 8), shape<fp16>(1, 4, 4, 64)))), 2 * 4 * 4 * 8);
}

TEST(Describe, AnElementwiseKernelIsOneOfItsOperations) {
    struct copy : Elementwise<Buf<0>> {};
    struct two : Elementwise<Silu<Add<Buf<0>, Buf<1>>>> {};
    const auto x = shape<fp16>(4, 64);
    EXPECT_EQ(describe<copy>(prepare<copy>(x, x)).unfused(), 1);
    const KernelReport l = describe<two>(prepare<two>(x, x, x));
    EXPECT_EQ(l.unfused(), 2);
    EXPECT_EQ(l.flops, 2 * 4 * 64);
}

}  // namespace
