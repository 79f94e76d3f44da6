// SPDX-License-Identifier: Apache-2.0
/// Scores taken apart as by · product + slope · key + the rest: each form at numbers, beside the score itself.
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/linear_score.hpp>
#include <inlay/plan/attention/online/evaluate.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

/// Leaves of scores [1, 2, 5, 7] with a slope for each head and a bound factor.
struct Values {
    const double slopes[2] = {0.25, -3.0};

    template <class E>
    double at(int head, int query, int key, double product) const {
        const auto leaf = [&]<class L>(L) -> double {
            if constexpr (std::is_same_v<L, Out>) return product;
            else if constexpr (std::is_same_v<L, Buf<3>>) return slopes[head];
            else if constexpr (std::is_same_v<L, Param<0>>) return 2.5;
            else if constexpr (std::is_same_v<L, QueryPosition>) return query + 2;
            else return L::axis == 1 ? head : L::axis == 2 ? query : key;
        };
        return online::evaluate<E, double>(leaf);
    }
};

template <class E>
void expect_linear() {
    using Linear = LinearScore<E>;
    static_assert(Linear::possible);
    const Values v;
    for (int head = 0; head < 2; ++head)
        for (int query = 0; query < 5; ++query)
            for (int key = 0; key < 7; ++key)
                for (const double product : {0.0, -1.5, 4.0}) {
                    const double by = v.at<typename Linear::of_product>(head, query, 0, 0),
                                 slope = v.at<typename Linear::of_key>(head, query, 0, 0),
                                 rest = v.at<E>(head, query, 0, 0);
                    EXPECT_NEAR(by * product + slope * key + rest, v.at<E>(head, query, key, product), 1e-12);
                }
}

using Key = Coord<3>;
using Distance = Sub<QueryPosition, Key>;
using Scaled = Mul<Out, Const<0.125>>;
using Alibi = Sub<Scaled, Mul<Buf<3>, Distance>>;

TEST(LinearScore, IsTheScore) {
    expect_linear<Scaled>();
    expect_linear<Alibi>();
    expect_linear<Sub<Div<Out, Param<0>>, Neg<Mul<Div<Neg<Distance>, Const<40>>, Buf<3>>>>>();
    expect_linear<Sub<Coord<-1>, Mul<Const<-0.125>, Out>>>();
    expect_linear<Add<Scaled, Exp<Mul<Buf<3>, QueryPosition>>>>();
}
TEST(LinearScore, OthersAreNotPossible) {
    static_assert(!LinearScore<Tanh<Out>>::possible && !LinearScore<Mul<Key, Key>>::possible);
    static_assert(!LinearScore<Mul<Out, Key>>::possible && !LinearScore<Div<Const<1>, Add<Key, Const<1>>>>::possible);
}
TEST(LinearScore, LeansWithTheKey) {
    static_assert(score_leans<Alibi> && score_leans<Sub<Scaled, Key>>);
    static_assert(!score_leans<Scaled> && !score_leans<Add<Scaled, Buf<3>>> && !score_leans<Tanh<Out>>);
}

}  // namespace
