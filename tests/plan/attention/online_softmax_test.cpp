// SPDX-License-Identifier: Apache-2.0
/// Recurrences of a family of softmaxes, in several spellings, against plain loops in double that go over the keys
/// twice and share no code with them.
#include <inlay/expr/print.hpp>

#include "random_rows.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

enum Scale { plain, half_of, by_param };
enum Shift { greatest, greatest_or_slot, slot_only };
enum Below { nothing, total, total_and_one, total_and_slot, greatest_and_total };
enum Spelling { quotient, inside, divided_exponentials, in_the_exponent };

template <int I, class... T>
using pick = type_at<I, types<T...>>;
template <Scale S>
using Scaled = pick<S, Score, Mul<Const<0.5>, Score>, Mul<Score, Param<0>>>;
template <class X, Shift S>
using ShiftOf = pick<S, KeyMax<X>, Max<KeyMax<X>, Buf<0>>, Buf<0>>;
template <class X, class M, class L, Below B>
using BelowOf = pick<B, Const<1.0>, L, Add<L, Exp<Neg<M>>>, Add<Exp<Sub<Buf<0>, M>>, L>,
                     Add<Add<KeyMax<X>, L>, Const<1e-3>>>;
template <class X, class M, class P, class D, Spelling S>
using RowOf = pick<S, Div<KeySum<Mul<P, Values>>, D>, KeySum<Mul<Div<P, D>, Values>>,
                   KeySum<Mul<Values, Div<Exp<X>, Mul<D, Exp<M>>>>>, KeySum<Mul<Exp<Sub<X, Add<M, Log<D>>>>, Values>>>;

struct Reference {
    std::vector<double> out;
    double log_sum;
};
template <class T>
Reference softmax(const RowData<T>& r, double c, Shift kind, Below below) {
    const std::vector<Key> keys = visible_keys(r);
    const double slot = static_cast<double>(r.slot);
    double most = -std::numeric_limits<double>::infinity();
    for (const Key& k : keys) most = std::max(most, c * k.score);
    Reference y{std::vector<double>(static_cast<std::size_t>(r.columns), 0.0), most};
    if (keys.empty()) return y;
    const double shift = kind == greatest ? most : kind == slot_only ? slot : std::max(most, slot);
    double sum = 0;
    for (const Key& k : keys) {
        const double p = std::exp(c * k.score - shift);
        sum += p;
        for (std::size_t j = 0; j < y.out.size(); ++j) y.out[j] += p * k.v[j];
    }
    const double d[] = {1, sum, sum + std::exp(-shift), sum + std::exp(slot - shift), most + sum + 1e-3};
    for (double& x : y.out) x /= d[below];
    y.log_sum = shift + std::log(sum);
    return y;
}

int combinations = 0;

template <class T, Scale S, Shift M, Below B, Spelling Spelt>
void check() {
    using X = Scaled<S>;
    using Sh = ShiftOf<X, M>;
    using P = Exp<Sub<X, Sh>>;
    using L = KeySum<P>;
    using Row = RowOf<X, Sh, P, BelowOf<X, Sh, L, B>, Spelt>;
    Luck luck(S * 1000 + M * 100 + B * 10 + Spelt);
    for (int trial = 0; trial < 12; ++trial, ++combinations) {
        const double mean = trial % 3 == 0 ? 1000 : trial % 3 == 1 ? 100 : 4;
        double centre = 0;
        const double least = B == greatest_and_total ? 15 : -mean;  // of a denominator that must be positive
        RowData<T> r = random_row<T>(luck, B == total_and_one ? 0 : least, 15 + mean, &centre);
        const double c = S == plain ? 1.0 : S == half_of ? 0.5 : static_cast<double>(r.param);
        r.slot = T(c * centre + luck.real(-5, 5));
        const Reference want = softmax(r, c, M, B);
        const auto y = run_row<Row, Add<Sh, Log<L>>>(r, random_split(luck, r.keys()));
        const std::string what = std::string(name<Row>()) + ", trial " + std::to_string(trial);
        const double size = std::abs(c * centre) + 20;
        expect_near(y[0], want.out, size, what);
        if (std::isinf(want.log_sum)) EXPECT_EQ(y[1][0], T(want.log_sum)) << what;
        else expect_near(y[1], {want.log_sum}, 4, what, size);
    }
}
template <class T, int... I>
void check_all(std::integer_sequence<int, I...>) {
    (check<T, Scale(I % 3), Shift(I / 3 % 3), Below(I / 9), Spelling((I + I / 3 + I / 9) % 4)>(), ...);
}

TEST(OnlineSoftmax, FamilyInFloat) { check_all<float>(std::make_integer_sequence<int, 45>{}); }
TEST(OnlineSoftmax, FamilyInDouble) {
    check_all<double>(std::make_integer_sequence<int, 45>{});
    EXPECT_GE(combinations, 45 * 12);
}

}  // namespace
