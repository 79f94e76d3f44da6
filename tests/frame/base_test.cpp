// SPDX-License-Identifier: Apache-2.0
/// Properties of every frame: the concept, prepared kernels as values, runs that repeat.
#include "work.hpp"

#include <inlay/frame/softmax.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct product : Linear<Buf<0>, Silu<Out>> {};

static_assert(Frame<product> && Frame<Linear<>> && Frame<Softmax<>> && !Frame<Buf<0>> && !Frame<int>);
static_assert(valid_kernel<product> && !valid_kernel<Buf<0>>);
static_assert(Tiled<128, 64, 32>::split_k == 1);
static_assert(std::is_same_v<product::schedule, Auto>);

TEST(Frame, RunsRepeat) {
    const Work work(1);
    const auto alone = work.results(executor(1));
    for (const int n : {2, 3, 3}) EXPECT_EQ(work.results(executor(n)), alone);
}

TEST(Frame, PreparedKernelsAreValues) {
    auto y = unwritten<float>(5, 24), x = normal<float>(1, 5, 40), w = normal<float>(2, 24, 40);
    Placed out(y), in(x), weight(w);
    const auto kernel = prepare<product>(*out, *weight, *in);
    static_assert(std::is_trivially_copyable_v<decltype(kernel)>);
    const auto copy = kernel;
    copy.run(executor(2));
    out.fetch();
    const auto first = y.v;
    kernel.run(executor(1));
    out.fetch();
    EXPECT_EQ(y.v, first);
}

}  // namespace
