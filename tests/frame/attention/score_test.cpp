// SPDX-License-Identifier: Apache-2.0
/// Scores with a name, as numbers of a product of query and key.
#include <inlay/expr/eval.hpp>
#include <inlay/frame/attention/score.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay;

template <class Score, int D>
double score_of(double product) {
    const Env<4, 0> env{{}, {}, {{1, 1, 1, 1}}};
    return value_at<double>(bind<typename Score::template of<D>>(env), Extents<4>{}, product);
}

TEST(AttentionScore, InverseRoots) {
    for (int d = 1; d <= 576; ++d) {
        const double right = 1 / std::sqrt(d);
        // Roots are within a unit of the last place and half of one, quotients within half of one each.
        EXPECT_NEAR(score::inverse_root(d), right, 2.5 * 0x1p-52 * right) << d;
    }
    static_assert(score::inverse_root(64) == 0.125);
}
TEST(AttentionScore, OfAProduct) {
    EXPECT_DOUBLE_EQ((score_of<score::Scaled, 40>(-3.5)), -3.5 / std::sqrt(40.0));
    EXPECT_EQ((score_of<score::Base2, 40>(-3.5)), -3.5);
    EXPECT_DOUBLE_EQ(std::exp2(score::Base2::factor(40) * 7.0), std::exp(7.0 / std::sqrt(40.0)));
    EXPECT_DOUBLE_EQ((score_of<score::Softcap<Const<20>>, 16>(300.0)), 20 * std::tanh(300.0 / 4 / 20));
    EXPECT_EQ((score_of<score::Of<Add<Out, Const<2>>>, 16>(5.0)), 7.0);
}

}  // namespace
