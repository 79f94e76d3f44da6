// SPDX-License-Identifier: Apache-2.0
/// Sides of each rule, computed in double on random matrices; and what the side conditions keep out.
#include <inlay/rewrite/dataflow/optimum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::dataflow;
using egraph::AnySymbol;
using egraph::Term;
using egraph::Var;

struct Matrix {
    int rows = 0, cols = 0;
    std::vector<double> of;
    double& at(int i, int j) { return of[static_cast<std::size_t>(i * cols + j)]; }
    double at(int i, int j) const { return of[static_cast<std::size_t>(i * cols + j)]; }
};
Matrix random_matrix(int rows, int cols, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    Matrix m{rows, cols, std::vector<double>(static_cast<std::size_t>(rows * cols))};
    for (double& x : m.of) x = normal(engine);
    return m;
}

/// An expression at one element, with 0.3 for scalars of the run.
template <class E>
double value(double x) {
    if constexpr (std::is_same_v<E, Out>) return x;
    else if constexpr (inlay::detail::is_const<E>) return E::value;
    else if constexpr (inlay::detail::is_param<E>) return 0.3;
    else
        return [x]<class... Child>(types<Child...>) { return E::apply(value<Child>(x)...); }
        (typename E::children{});
}

/// Terms over matrices: a and b for Var<0> and Var<1>, Operation for the symbol variable.
template <class Operation>
struct Evaluate {
    Matrix a = random_matrix(5, 7, 1), b = random_matrix(7, 6, 2);

    Matrix operator()(Var<0>) const { return a; }
    Matrix operator()(Var<1>) const { return b; }
    template <class S, class X>
    Matrix operator()(Term<S, X>) const {
        Matrix m = (*this)(X{});
        if constexpr (!std::is_same_v<S, Ldr>)
            for (double& x : m.of) x = value<Operation>(x);
        return m;
    }
    template <class A, class B>
    Matrix operator()(Term<Wgmma, A, B>) const {
        const Matrix x = (*this)(A{}), y = (*this)(B{});
        Matrix m{x.rows, y.cols, std::vector<double>(static_cast<std::size_t>(x.rows * y.cols))};
        for (int i = 0; i < x.rows; ++i)
            for (int j = 0; j < y.cols; ++j)
                for (int k = 0; k < x.cols; ++k) m.at(i, j) += x.at(i, k) * y.at(k, j);
        return m;
    }
};
/// The relative difference of both sides of a rule.
template <class Rule, class Operation = Out>
double difference() {
    const Evaluate<Operation> evaluate;
    const Matrix from = evaluate(typename Rule::from{}), to = evaluate(typename Rule::to{});
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < from.of.size(); ++i) {
        difference += (from.of[i] - to.of[i]) * (from.of[i] - to.of[i]);
        size += from.of[i] * from.of[i];
    }
    return std::sqrt(difference / size);
}

TEST(DataflowRules, BothSidesAreEqual) {
    EXPECT_EQ(difference<ExplicitLoad>(), 0);
    EXPECT_LT((difference<HoistElementwise, Mul<Out, Const<0.1>>>()), 1e-15);
    EXPECT_LT((difference<HoistElementwise, Neg<Div<Mul<Const<3>, Out>, Param<0>>>>()), 1e-15);
    EXPECT_EQ((difference<HoistElementwise, Mul<Out, Const<0.125>>>()), 0);  // a power of two rounds nothing
}

/// Operations that are no scale: the condition refuses them, and the sides differ.
template <class E>
void expect_refused() {
    EXPECT_FALSE(Scales::is<Elementwise<E>>);
    EXPECT_GT((difference<HoistElementwise, E>()), 0.1);
}
TEST(DataflowRules, HoistingIsOfScalesAlone) {
    expect_refused<Exp<Out>>();
    expect_refused<Add<Out, Const<1>>>();
    expect_refused<Mul<Out, Out>>();
    expect_refused<Div<Const<1>, Out>>();
    EXPECT_TRUE((Scales::is<Elementwise<Mul<Param<0>, Out>>>));
    EXPECT_FALSE(Scales::is<Wgmma>);
}

/// The explicit load without its condition applies to its own result, until a limit.
struct LoadWithoutCondition {
    using from = ExplicitLoad::from;
    using to = ExplicitLoad::to;
    static constexpr const char* name = "load without condition";
    static constexpr bool rounds = false;
};
TEST(DataflowRules, TheConditionOfTheLoadEndsSaturation) {
    using tiles = AttentionTiles<>;
    using product = Term<Wgmma, tiles::q, tiles::k>;
    const Saturated<product, types<ExplicitLoad>> ends;
    EXPECT_TRUE(ends.saturation.saturated);
    EXPECT_EQ(ends.saturation.applied[0], 1);
    const Saturated<product, types<LoadWithoutCondition>> endless;
    EXPECT_FALSE(endless.saturation.saturated);
    EXPECT_EQ(endless.saturation.stop, egraph::Stop::nodes);
}

}  // namespace
