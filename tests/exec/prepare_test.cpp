// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>

#include <exec/sentence.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using namespace inlay;
using inlay_test::sentence;

struct axpy : Elementwise<Add<Mul<Param<0>, Buf<0>>, Buf<1>>> {};
struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct two_outputs : Linear<Buf<0>, Out, Partition<-1, Store<0>, Store<1>>> {};
struct window : Elementwise<Slice<Buf<0>, -1, param<0>, param<1>>> {};

using F1 = Tensor<float, 1>;
using F2 = Tensor<float, 2>;
static_assert(valid_arguments<axpy, F1, F1, F1, float>);
static_assert(valid_arguments<axpy, F1, F1, Tensor<const fp16, 1>, const float*>);
static_assert(!valid_arguments<axpy, F1, F1, F1>);                             // a scalar is missing
static_assert(!valid_arguments<axpy, F1, F1, float, F1>);                      // scalars come last
static_assert(!valid_arguments<axpy, Tensor<const float, 1>, F1, F1, float>);  // an output that is const
static_assert(valid_arguments<biased, F2, Packed<float, 2>, F2, F1>);
static_assert(!valid_arguments<axpy, F1, Packed<float, 1>, F1, float>);  // only weights may be packed
static_assert(valid_arguments<two_outputs, F2, F2, F2, F2>);
static_assert(!valid_arguments<biased, F2, Tensor<const std::int32_t, 2>, F2, F1>);  // weights are not int32

TEST(Prepare, TakesOutputsWeightsTensorsScalars) {
    Host host(1);
    std::vector<float> x = {1, 2, 3}, y = {10, 20, 30}, z(3);
    prepare<axpy>(tensor(z.data(), 3), tensor(x.data(), 3), tensor(y.data(), 3), 2).run(host);
    EXPECT_EQ(z, (std::vector<float>{12, 24, 36}));
}

TEST(Prepare, ScalarsByPointerAreReadAtEveryRun) {
    Host host(1);
    std::vector<float> x = {1, 2, 3}, y = {10, 20, 30}, z(3);
    float a = 2;
    const auto k = prepare<axpy>(tensor(z.data(), 3), tensor(x.data(), 3), tensor(y.data(), 3), &a);
    k.run(host);
    a = -1;
    k.run(host);
    EXPECT_EQ(z, (std::vector<float>{9, 18, 27}));
}

TEST(Prepare, InPlace) {
    Host host(2);
    std::vector<float> x = {1, 2, 3}, y = {10, 20, 30};
    prepare<axpy>(tensor(y.data(), 3), tensor(x.data(), 3), tensor(y.data(), 3), 2).run(host);
    EXPECT_EQ(y, (std::vector<float>{12, 24, 36}));
}

TEST(Prepare, MisfitsAreFoundBeforeAnythingRuns) {
    std::vector<float> v(100, -1);
    float live = 3;
    const auto t = [&](auto... e) { return tensor(v.data(), e...); };
    EXPECT_NE(sentence([&] { prepare<axpy>(t(3), t(3), t(4), 2); }).find("cannot broadcast"), std::string::npos);
    EXPECT_NE(sentence([&] { prepare<biased>(t(2, 3), t(3, 4), t(2, 4), t(4)); }), "");
    EXPECT_NE(sentence([&] { prepare<two_outputs>(t(2, 2), t(3, 1), t(3, 4), t(2, 4)); }).find("differ off axis"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<window>(t(2), t(5), 4, 2); }), "");
    EXPECT_NE(sentence([&] { prepare<window>(t(2), t(5), &live, 2); }).find("must be bound by value, not by pointer"),
              std::string::npos);
    for (const float x : v) EXPECT_EQ(x, -1);
}

TEST(Prepare, ErrorsNameTheKernelOnce) {
    std::vector<float> v(100);
    const auto t = [&](auto... e) { return tensor(v.data(), e...); };
    const std::string linear = name<biased::Linear>(),
                      misfit = "the input [2, 5] has K = 5, the weight [3, 4] has K = 4";
    EXPECT_EQ(sentence([&] { prepare<biased>(t(2, 3), t(3, 4), t(2, 5), t(3)); }),
              "inlay: biased: " + linear + ": " + misfit);
    EXPECT_EQ(sentence([&] { prepare<Linear<>>(t(2, 3), t(3, 4), t(2, 5)); }),
              "inlay: " + std::string(name<Linear<>>()) + ": " + misfit);
    EXPECT_EQ(sentence([&] { prepare<biased>(t(2, 4), t(3, 4), t(2, 4), t(3)); }),
              "inlay: biased: the output takes [2, 4], the kernel computes [2, 3]");
}

// By it a target finds what it planned.
TEST(Prepare, CopiesHaveTheIdentityOfTheirKernel) {
    std::vector<float> x = {1, 2, 3}, z(3);
    const auto one = [&] { return prepare<axpy>(tensor(z.data(), 3), tensor(x.data(), 3), tensor(x.data(), 3), 2); };
    auto kernel = one();
    static_assert(std::is_trivially_copyable_v<decltype(kernel)>);
    const auto copy = kernel;
    EXPECT_EQ(copy.identity, kernel.identity);
    kernel = one();
    EXPECT_NE(copy.identity, kernel.identity);
}
TEST(Prepare, IdentitiesOfSeveralThreadsDiffer) {
    constexpr std::size_t each = 1000;
    std::vector<float> x = {1, 2, 3}, z(3);
    std::vector<std::uint64_t> all(4 * each);
    std::vector<std::thread> team;
    for (std::size_t t = 0; t < 4; ++t)
        team.emplace_back([&, t] {
            for (std::size_t i = 0; i < each; ++i)
                all[t * each + i] =
                    prepare<axpy>(tensor(z.data(), 3), tensor(x.data(), 3), tensor(x.data(), 3), 2).identity;
        });
    for (auto& t : team) t.join();
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

}  // namespace
