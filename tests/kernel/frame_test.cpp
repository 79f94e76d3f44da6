// SPDX-License-Identifier: Apache-2.0
/// What holds for every frame: what is a frame, and that a Host may be shared and several may work at once.
#include "check.hpp"

#include <inlay/kernel/attention.hpp>
#include <inlay/kernel/conv2d.hpp>
#include <inlay/kernel/elementwise.hpp>
#include <inlay/kernel/linear.hpp>
#include <inlay/kernel/norm.hpp>
#include <inlay/kernel/reduce.hpp>
#include <inlay/kernel/softmax.hpp>

#include <atomic>
#include <thread>

namespace {

using namespace inlay;
using namespace inlay_test;

struct product : Linear<Buf<0>, Silu<Out>> {};
struct filter : Conv2D<Window<3>, Silu<Buf<0>>> {};
struct normalise : GroupNorm<8> {};
struct attend : Attention<40, Buf<0>, Buf<0>, Buf<0>> {};
struct add_up : Reduce<reduction::Sum, Axes<1>> {};
struct statistics : Linear<Buf<0>, Out, WithStats<Store<0>, 1>> {};

static_assert(Frame<product> && Frame<Linear<>> && Frame<Softmax<>> && !Frame<Buf<0>> && !Frame<int>);
static_assert(valid_kernel<product> && !valid_kernel<Buf<0>>);
static_assert(Tiled<128, 64, 32>::split_k == 1);
static_assert(std::is_same_v<product::schedule, Auto>);

/// One of every kind of work that keeps memory between its phases: packing, partial statistics, scratch rows.
struct Work {
    explicit Work(unsigned seed)
        : x(normal<float>(seed, 2, 9, 7, 40)),
          w(gaussian<float>(seed + 1, 0, 0.1, 24, 40)),
          f(gaussian<float>(seed + 2, 0, 0.05, 16, 3, 3, 40)),
          g(normal<float>(seed + 3, 40)) {}

    std::vector<std::vector<float>> results(Host& host) const {
        auto y = unwritten<float>(2, 9, 7, 24), c = unwritten<float>(2, 9, 7, 16), n = unwritten<float>(2, 9, 7, 40),
             a = unwritten<float>(2, 9, 7, 40), r = unwritten<float>(2, 1, 7, 40),
             stored = unwritten<float>(2, 9, 7, 24);
        auto s = unwritten<float>(2, 24, 2);
        prepare<product>(*y, *w, *x).run(host);
        prepare<filter>(*c, *f, *x).run(host);
        prepare<normalise>(*n, *g, *g, *x).run(host);
        prepare<attend>(*a, *x).run(host);
        prepare<add_up>(*r, *x).run(host);
        prepare<statistics>(*stored, *s, *w, *x).run(host);
        return {y.v, c.v, n.v, a.v, r.v, stored.v, s.v};
    }

    Array<float, 4> x;
    Array<float, 2> w;
    Array<float, 4> f;
    Array<float, 1> g;
};

TEST(Frame, ResultsDoNotDependOnTheNumberOfThreads) {
    const Work work(1);
    const auto alone = work.results(threads(1));
    EXPECT_EQ(work.results(threads(2)), alone);
    EXPECT_EQ(work.results(threads(3)), alone);
    EXPECT_EQ(work.results(threads(3)), alone);
}

/// Each of `n` host threads runs its own work 20 times on the host that `host_of` gives it.
template <class F>
void expect_as_alone(int n, F&& host_of) {
    std::vector<Work> works;
    std::vector<std::vector<std::vector<float>>> alone;
    for (int i = 0; i < n; ++i) {
        works.emplace_back(static_cast<unsigned>(i * 10));
        alone.push_back(works.back().results(threads(1)));
    }
    std::atomic<int> wrong = 0;
    std::vector<std::thread> team;
    for (int i = 0; i < n; ++i)
        team.emplace_back([&, i] {
            for (int k = 0; k < 20; ++k)
                if (works[static_cast<std::size_t>(i)].results(host_of(i)) != alone[static_cast<std::size_t>(i)])
                    ++wrong;
        });
    for (auto& t : team) t.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Frame, SeveralThreadsShareAHost) {
    Host host(2);
    expect_as_alone(3, [&](int) -> Host& { return host; });
}

TEST(Frame, SeveralHostsAtOnce) {
    Host first(2), second(1), third(3);
    expect_as_alone(3, [&](int i) -> Host& { return i == 0 ? first : i == 1 ? second : third; });
}

TEST(Frame, PreparedKernelsAreValues) {
    auto y = unwritten<float>(5, 24);
    const auto x = normal<float>(1, 5, 40), w = normal<float>(2, 24, 40);
    const auto kernel = prepare<product>(*y, *w, *x);
    static_assert(std::is_trivially_copyable_v<decltype(kernel)>);
    const auto copy = kernel;
    copy.run(threads(2));
    const auto first = y.v;
    kernel.run(threads(1));
    EXPECT_EQ(y.v, first);
}

}  // namespace
