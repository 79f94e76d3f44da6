// SPDX-License-Identifier: Apache-2.0
/// One of every kind of work that keeps memory between its phases: packing, parts of sums, statistics, scratch rows.
#pragma once

#include "check.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace inlay_test {

struct Work {
    using InTwo = inlay::Tiled<32, 32, 32, 2, 2>;  // the sum of a product in two parts
    struct product : inlay::Linear<inlay::Buf<0>, inlay::Silu<inlay::Out>, inlay::Store<0>, InTwo> {};
    struct filter : inlay::Conv2D<inlay::Filter<3>, inlay::Silu<inlay::Buf<0>>, inlay::Out, inlay::Store<0>, InTwo> {};
    struct normalise : inlay::GroupNorm<8> {};
    struct attend : inlay::Attention<40, inlay::Buf<0>, inlay::Buf<0>, inlay::Buf<0>> {};
    struct add_up : inlay::Reduce<inlay::reduction::Sum, inlay::Axes<1>> {};
    struct statistics : inlay::Linear<inlay::Buf<0>, inlay::Out, inlay::WithStats<inlay::Store<0>, 1>, InTwo> {};

    explicit Work(unsigned seed)
        : x(normal<float>(seed, 2, 9, 7, 40)),
          w(gaussian<float>(seed + 1, 0, 0.1, 24, 40)),
          f(gaussian<float>(seed + 2, 0, 0.05, 16, 3, 3, 40)),
          g(normal<float>(seed + 3, 40)) {}

    template <class Target>
    std::vector<std::vector<float>> results(Target& target) const {
        auto y = unwritten<float>(2, 9, 7, 24), c = unwritten<float>(2, 9, 7, 16), n = unwritten<float>(2, 9, 7, 40),
             a = unwritten<float>(2, 9, 7, 40), r = unwritten<float>(2, 1, 7, 40),
             stored = unwritten<float>(2, 9, 7, 24);
        auto s = unwritten<float>(2, 24, 2);
        execute<product>(target, *y, *w, *x);
        execute<filter>(target, *c, *f, *x);
        execute<normalise>(target, *n, *g, *g, *x);
        execute<attend>(target, *a, *x);
        execute<add_up>(target, *r, *x);
        execute<statistics>(target, *stored, *s, *w, *x);
        return {y.v, c.v, n.v, a.v, r.v, stored.v, s.v};
    }

    Array<float, 4> x;
    Array<float, 2> w;
    Array<float, 4> f;
    Array<float, 1> g;
};

/// Each of `n` host threads runs its own work 20 times on the target that `target_of` gives it.
template <class F>
void expect_as_alone(int n, F&& target_of) {
    std::vector<Work> works;
    std::vector<std::vector<std::vector<float>>> alone;
    for (int i = 0; i < n; ++i) {
        works.emplace_back(static_cast<unsigned>(i * 10));
        alone.push_back(works.back().results(executor(1)));
    }
    std::atomic<int> wrong = 0;
    std::vector<std::thread> team;
    for (int i = 0; i < n; ++i)
        team.emplace_back([&, i] {
            for (int k = 0; k < 20; ++k)
                if (works[static_cast<std::size_t>(i)].results(target_of(i)) != alone[static_cast<std::size_t>(i)])
                    ++wrong;
        });
    for (auto& t : team) t.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace inlay_test
