// SPDX-License-Identifier: Apache-2.0
#include "softmax_row.hpp"

#include <inlay/plan/attention/online/evaluate.hpp>
#include <inlay/plan/attention/online/sums.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

static_assert(same<online::reductions_of<Div<Vector, Total>>, types<Top, Vector, Total>>);
static_assert(same<online::reductions_of<Add<Top, Log<Total>>>, types<Top, Total>>);
static_assert(same<online::reductions_of<TwoPass<Total>>, types<>>);
static_assert(same<online::weight_of<Total>, Weight> && same<online::weight_of<Vector>, Weight>);
static_assert(same<online::weight_of<KeySum<Values>>, Const<1.0>>);
static_assert(same<online::rescale_of<Sigmoid<Score>>, Const<1.0>>);    // no maximum in it

/// Maxima before a step and after it.
struct Step {
    double before, now;
    double operator()(Top) const { return now; }
    double operator()(online::Before<Top>) const { return before; }
};

// A sum of weights about the old maximum, times the factor, is the sum about the new one.
TEST(Sums, TheFactorBringsASumToNewMaxima) {
    const double score[] = {0.5, -1.25, 2.0};
    for (const double before : {2.0, 3.5})
        for (const double now : {2.0, 5.0}) {
            double old = 0, right = 0;
            for (const double s : score) old += std::exp(s - before), right += std::exp(s - now);
            const double factor = online::evaluate<online::rescale_of<Weight>, double>(Step{before, now});
            EXPECT_NEAR(old * factor, right, 1e-12 * right) << before << ' ' << now;
        }
}
// exp(c·m' − c·m) would cancel: of large maxima their difference is what counts.
TEST(Sums, DifferencesOfMaximaComeBeforeFactors) {
    using Scaled = Exp2<Mul<Const<0.1>, Sub<Score, Top>>>;
    const double factor = online::evaluate<online::rescale_of<Scaled>, double>(Step{1e16, 1e16 + 2});
    EXPECT_EQ(factor, std::exp2(0.1 * -2));
}

}  // namespace
