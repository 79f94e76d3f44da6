// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

#include <inlay/exec/host.hpp>
#include <inlay/frame/linear.hpp>

namespace {

template <class D, int R>
auto& element(D& d, const Extents<R>& c) {
    return d.tensor(c);
}

TEST(Scatter, RowsGoToThePlacesOfTheIndexAndNoOthers) {
    const auto from = ramp(1, 1, 2, 3, 8);
    for (const bool of_host : {false, true}) {
        auto y = ramp(-1, 0, 2, 7, 8);
        const std::int32_t places[] = {5, 0, 3, 1, 2, 6};  // of each batch
        const auto k = prepare<Elementwise<Buf<0>, Scatter<Store<0>, Buf<1>, 1>>>(y.tensor, from.tensor,
                                                                               tensor(places, 2, 3));
        Oracle oracle;
        Host host(1);
        of_host ? k.run(host) : k.run(oracle);
        auto expected = ramp(-1, 0, 2, 7, 8);
        for (int b = 0; b < 2; ++b)
            for (int s = 0; s < 3; ++s)
                for (int c = 0; c < 8; ++c)
                    element(expected, Extents<3>{{b, places[3 * b + s], c}}) = from.at({{b, s, c}});
        EXPECT_EQ(y.memory, expected.memory);
    }
}
TEST(Scatter, TheIndexIsReadAsTheKernelRunsAndClamped) {
    const auto from = ramp(1, 1, 4);
    auto y = ramp(0, 0, 6);
    std::int32_t places[] = {0, 1, 2, 3};
    using K = Elementwise<Buf<0>, Scatter<Store<0>, Buf<1>, -1>>;
    const auto k = prepare<K>(y.tensor, from.tensor, tensor(places, 4));
    Host host(1);
    places[0] = -3, places[3] = 100;
    k.run(host);
    EXPECT_EQ(y.memory, (std::vector<float>{1, 2, 3, 0, 0, 4}));
}
/// One product into a row of a result and, by heads, into a cache.
TEST(Scatter, OneProductWritesIntoACache) {
    using Cache = Scatter<SplitLast<Permuted<Store<1>, 0, 2, 1, 3>>, Buf<1>, 1>;
    using Into = Partition<2, Store<0>, Cache>;
    struct product : Linear<Buf<0>, Out, Into> {};
    const auto from = ramp(1, 1, 2, 2, 4);
    const auto weight = ramp(0, 1, 8, 4);
    const std::int32_t places[] = {2, 0, 4, 3};
    for (const bool of_host : {false, true}) {
        auto y = ramp(-1, 0, 2, 2, 4);
        auto cache = ramp(-1, 0, 2, 2, 5, 2), expected = ramp(-1, 0, 2, 2, 5, 2);
        const auto k = prepare<product>(y.tensor, cache.tensor, weight.tensor, from.tensor, tensor(places, 2, 2));
        Oracle oracle;
        Host host(1);
        of_host ? k.run(host) : k.run(oracle);
        for (int b = 0; b < 2; ++b)
            for (int s = 0; s < 2; ++s)
                for (int n = 0; n < 8; ++n) {
                    float sum = 0;
                    for (int c = 0; c < 4; ++c) sum += from.at({{b, s, c}}) * weight.at({{n, c}});
                    if (n < 4) EXPECT_EQ(y.at({{b, s, n}}), sum);
                    else element(expected, Extents<4>{{b, (n - 4) / 2, places[2 * b + s], n % 2}}) = sum;
                }
        EXPECT_EQ(cache.memory, expected.memory);
    }
}
TEST(Scatter, AMisfitIsOneError) {
    auto y = ramp(0, 0, 2, 3, 8), none = ramp(0, 0, 2, 0, 8);
    const auto from = ramp(1, 1, 2, 3, 8);
    const std::int32_t places[9] = {};
    using K = Elementwise<Buf<0>, Scatter<Store<0>, Buf<1>, 1>>;
    EXPECT_EQ(error_of([&] { prepare<K>(y.tensor, from.tensor, tensor(places, 3, 3)); }),
              "inlay: Elementwise<Buf<0>, Scatter<Store<0>, Buf<1>, 1>, Auto>: Scatter<Store<0>, Buf<1>, 1>: the index "
              "[3, 3] has 3 rows, the output [2, 3, 8] has 2");
    EXPECT_EQ(error_of([&] { prepare<K>(none.tensor, from.tensor, tensor(places, 3)); }),
              "inlay: Elementwise<Buf<0>, Scatter<Store<0>, Buf<1>, 1>, Auto>: Scatter<Store<0>, Buf<1>, 1>: the "
              "output [2, 0, 8] has nothing along axis 1 that an index could name");
}

}  // namespace
