// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

namespace {

TEST(Partition, WritesSeveralOutputs) {
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
TEST(Partition, StoredTypesMix) {
    auto q = ramp<fp16>(0, 0, 2, 3, 4);
    auto k = ramp<bf16>(0, 0, 2, 3, 4);
    const auto k2 =
        prepare<Elementwise<Mul<Buf<0>, Const<0.1>>, Partition<-1, Store<0>, Store<1>>>>(q.tensor, k.tensor, x.tensor);
    Oracle oracle;
    k2.run(oracle);
    EXPECT_EQ(q.at({{1, 2, 3}}), static_cast<float>(fp16(0.1f * static_cast<float>(x.at({{1, 2, 3}})))));
    EXPECT_EQ(k.at({{1, 2, 3}}), static_cast<float>(bf16(0.1f * static_cast<float>(x.at({{1, 2, 7}})))));
}
TEST(Partition, AMisfitIsOneError) {
    auto y = ramp(0, 0, 2, 3, 8), half_rows = ramp(0, 0, 2, 2, 4);
    using Halves = Partition<-1, Store<0>, Store<1>>;
    EXPECT_EQ(error_of([&] { prepare<Elementwise<Buf<0>, Halves>>(y.tensor, half_rows.tensor, x.tensor); }),
              "inlay: Elementwise<Buf<0>, Partition<-1, Store<0>, Store<1>>, Auto>: Partition<-1, Store<0>, Store<1>>: "
              "sinks of [2, 3, 8] and [2, 2, 4] differ off axis 2");
}

}  // namespace
