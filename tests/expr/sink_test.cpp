// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <inlay/exec/oracle.hpp>
#include <inlay/kernel/elementwise.hpp>

namespace {
using namespace inlay_test;

/// Runs Elementwise<Buf<0>, S> through the oracle and the host's rows.
template <class S, class X, class... Y>
void store(const X& x, Y&... y) {
    const auto k = prepare<Elementwise<Buf<0>, S>>(y.tensor..., x.tensor);
    Oracle oracle;
    k.run(oracle);
    const auto expected = std::make_tuple(y.memory...);
    const auto clear = [](auto& d) {
        for (auto& v : d.memory) v = to_storage<std::remove_reference_t<decltype(v)>>(-1.0);
    };
    (clear(y), ...);
    constexpr int R = std::remove_cvref_t<decltype(k.problem.out)>::rank;
    const auto& e = k.problem.out;
    for (index_t i = 0; i < count(e); i += e.back(0)) {
        const auto c = unravel(i, e);
        std::vector<float> row(static_cast<std::size_t>(e.back(0)));
        host::evaluate_row(get<0>(k.in), c, e.back(0), row.data());
        // In two halves, as a tile would.
        auto half = c;
        half[R - 1] = e.back(0) / 2;
        host::write_row(k.sink, c, half[R - 1], row.data());
        host::write_row(k.sink, half, e.back(0) - half[R - 1], row.data() + half[R - 1]);
    }
    EXPECT_TRUE(expected == std::make_tuple(y.memory...)) << name<S>();
}

const auto x = ramp(1, 1, 2, 3, 8);

TEST(Sink, Store) {
    auto y = ramp(0, 0, 2, 3, 8);
    store<Store<0>>(x, y);
    EXPECT_EQ(y.memory, x.memory);
}
TEST(Sink, Permuted) {
    auto y = ramp(0, 0, 8, 2, 3);
    store<Permuted<Store<0>, 2, 0, 1>>(x, y);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 8; ++c) EXPECT_EQ(y.at({{c, a, b}}), x.at({{a, b, c}}));
}
TEST(Sink, SplitLastGivesHeads) {
    auto y = ramp(0, 0, 2, 4, 3, 2);  // [B, heads, S, D] of [B, S, heads·D]
    store<SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>>(x, y);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 8; ++c) EXPECT_EQ(y.at({{a, c / 2, b, c % 2}}), x.at({{a, b, c}}));
}
TEST(Sink, APartitionWritesSeveralOutputs) {
    auto q = ramp(0, 0, 2, 3, 2), v = ramp(0, 0, 2, 3, 5);
    auto k = ramp(0, 0, 2, 1, 3, 1);  // split into heads, permuted
    store<Partition<-1, Store<0>, SplitLast<Permuted<Store<1>, 0, 2, 1, 3>>, Store<2>>>(x, q, k, v);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 8; ++c)
                EXPECT_EQ(c < 2   ? q.at({{a, b, c}})
                          : c < 3 ? k.at({{a, 0, b, 0}})
                                  : v.at({{a, b, c - 3}}),
                          x.at({{a, b, c}}));
    auto top = ramp(0, 0, 1, 3, 8), bottom = ramp(0, 0, 1, 3, 8);
    store<Partition<0, Store<0>, Store<1>>>(x, top, bottom);
    EXPECT_EQ(top.at({{0, 2, 7}}), x.at({{0, 2, 7}}));
    EXPECT_EQ(bottom.at({{0, 2, 7}}), x.at({{1, 2, 7}}));
}
TEST(Sink, StridedWritesOnePhase) {
    auto y = ramp(-1, 0, 2, 6, 16);
    store<Strided<Strided<Store<0>, 1, 2, 1>, -1, 2, 0>>(x, y);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 8; ++c) EXPECT_EQ(y.at({{a, 2 * b + 1, 2 * c}}), x.at({{a, b, c}}));
}
TEST(Sink, StoredTypesMix) {
    auto q = ramp<half>(0, 0, 2, 3, 4);
    auto k = ramp<bf16>(0, 0, 2, 3, 4);
    const auto k2 =
        prepare<Elementwise<Mul<Buf<0>, Const<0.1>>, Partition<-1, Store<0>, Store<1>>>>(q.tensor, k.tensor, x.tensor);
    Oracle oracle;
    k2.run(oracle);
    EXPECT_EQ(q.at({{1, 2, 3}}), static_cast<float>(half(0.1f * static_cast<float>(x.at({{1, 2, 3}})))));
    EXPECT_EQ(k.at({{1, 2, 3}}), static_cast<float>(bf16(0.1f * static_cast<float>(x.at({{1, 2, 7}})))));
}
TEST(Sink, StatisticsOfEachChannel) {
    auto y = ramp(0, 0, 2, 3, 8), stats = ramp(0, 0, 2, 8, 2);
    const auto k = prepare<Elementwise<Buf<0>, WithStats<Store<0>, 1>>>(y.tensor, stats.tensor, x.tensor);
    Oracle oracle;
    k.run(oracle);
    for (int b = 0; b < 2; ++b)
        for (int c = 0; c < 8; ++c) {
            double mean = 0, m2 = 0;
            for (int i = 0; i < 3; ++i) mean += x.at({{b, i, c}}) / 3;
            for (int i = 0; i < 3; ++i) m2 += std::pow(x.at({{b, i, c}}) - mean, 2);
            EXPECT_FLOAT_EQ(static_cast<float>(stats.at({{b, c, 0}})), static_cast<float>(mean));
            EXPECT_FLOAT_EQ(static_cast<float>(stats.at({{b, c, 1}})), static_cast<float>(m2));
        }
}

TEST(Sink, AMisfitIsOneError) {
    auto odd = ramp(0, 0, 2, 3, 9), half_rows = ramp(0, 0, 2, 2, 4), y = ramp(0, 0, 2, 3, 8),
         stats = ramp(0, 0, 2, 8, 3);
    EXPECT_EQ(error_of([&] { prepare<Elementwise<Buf<0>, Strided<Store<0>, -1, 2, 0>>>(odd.tensor, x.tensor); }),
              "inlay: Strided<Store<0>, -1, 2, 0>: extent 9 of axis 2 is not a multiple of 2");
    EXPECT_EQ(error_of([&] {
                  prepare<Elementwise<Buf<0>, Partition<-1, Store<0>, Store<1>>>>(y.tensor, half_rows.tensor, x.tensor);
              }),
              "inlay: Partition<-1, Store<0>, Store<1>>: sinks of [2, 3, 8] and [2, 2, 4] differ off axis 2");
    EXPECT_EQ(
        error_of([&] { prepare<Elementwise<Buf<0>, WithStats<Store<0>, 1>>>(y.tensor, stats.tensor, x.tensor); }),
        "inlay: WithStats<Store<0>, 1>: the statistics of [2, 3, 8] have extents [2, 8, 2], the output has [2, 8, 3]");
    EXPECT_EQ(
        error_of([&] { prepare<Elementwise<Buf<0>>>(odd.tensor, x.tensor); }),
        "inlay: Elementwise<Buf<0>, Store<0>, Auto>: the output takes [2, 3, 9], the expression has extents [2, 3, 8]");
}

}  // namespace
