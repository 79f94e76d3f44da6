// SPDX-License-Identifier: Apache-2.0
/// Weights that are computed at load: host tensors as they are packed against the interpreter, which reads filters as
/// files have them.
#include <frame/check.hpp>

#include "interpret_load.hpp"

namespace {

using namespace inlay_test;
using inlay::Extents;
using inlay::fp16;
using planner::ClassData;

template <int R>
Value value_of(const Array<double, R>& a) {
    Sizes e;
    for (int i = 0; i < R; ++i) e.push_back((*a).extents[i]);
    Value v(e);
    for (index_t i = 0; i < v.size(); ++i) v[i] = a.v[static_cast<std::size_t>(i)];
    return v;
}
/// [O, R, S, C] → [O, C, R, S].
Value as_in_a_file(const Value& v) {
    const Sizes& e = v.extents;
    return filled({e[0], e[3], e[1], e[2]}, [&](const Sizes& c) { return v({c[0], c[2], c[3], c[1]}); });
}
ClassData data_of_value(const Value& v) {
    ClassData d;
    for (const index_t e : v.extents) d.extents[d.rank++] = e;
    return d;
}

/// `compute` of S against its meaning, and its extents against `data`.
template <class S, class To, class... Packed>
void expect_computed(To to, const std::vector<Value>& operands, const Packed&... packed) {
    Operands values;
    ClassData data[4];
    for (std::size_t i = 0; i < operands.size(); ++i) {
        values.push_back(&operands[i]);
        data[i] = data_of_value(operands[i]);
    }
    const Value want = meaning<S>::of(values, {});
    EXPECT_TRUE(same_extents(S::data(data), data_of_value(want))) << S::name;
    planner::compute_at_load<S>({}, *to, *packed...);
    EXPECT_LE(error_of(value_of(std::as_const(to)), want), 1e-14) << S::name;
}

TEST(Load, WeightsOfOneProduct) {
    const auto a = normal<double>(1, 3, 5), b = normal<double>(2, 4, 5), c = normal<double>(3, 2, 5);
    const auto u = normal<double>(4, 3), v = normal<double>(5, 4), w = normal<double>(6, 2);
    expect_computed<load::JoinRows<2>>(unwritten<double>(7, 5), {value_of(a), value_of(b)}, a, b);
    expect_computed<load::JoinRows<3>>(unwritten<double>(9, 5), {value_of(a), value_of(b), value_of(c)}, a, b, c);
    expect_computed<load::JoinVectors<2>>(unwritten<double>(7), {value_of(u), value_of(v)}, u, v);
    expect_computed<load::JoinVectors<3>>(unwritten<double>(9), {value_of(u), value_of(v), value_of(w)}, u, v, w);
    expect_computed<load::VectorPart<0, 2>>(unwritten<double>(2), {value_of(v)}, v);
    expect_computed<load::VectorPart<1, 2>>(unwritten<double>(2), {value_of(v)}, v);
    const auto filter = normal<double>(7, 3, 3, 2, 4), tap = normal<double>(8, 3, 1, 1, 5);
    const Value file = as_in_a_file(value_of(filter));
    expect_computed<load::JoinColumns>(unwritten<double>(3, 29), {file, value_of(a)}, filter, a);
    expect_computed<load::AsMatrix>(unwritten<double>(3, 5), {as_in_a_file(value_of(tap))}, tap);
    const auto other = normal<double>(9, 3);
    expect_computed<load::SumOfVectors>(unwritten<double>(3), {value_of(u), value_of(other)}, u, other);
}
TEST(Load, FoldedWeights) {
    const auto w = normal<double>(1, 6, 5);
    const auto k = normal<double>(2, 5);
    expect_computed<load::ScaledColumns>(unwritten<double>(6, 5), {value_of(w), value_of(k)}, w, k);
    expect_computed<load::RowSums>(unwritten<double>(6), {value_of(w)}, w);
    expect_computed<load::Shift>(unwritten<double>(6), {value_of(w), value_of(k)}, w, k);
    expect_computed<load::QueryFactors<40, 3>>(unwritten<double>(6), {value_of(w)}, w);
    const auto filter = normal<double>(3, 2, 3, 3, 4);
    expect_computed<load::PhaseWeights>(unwritten<double>(4, 2, 16), {as_in_a_file(value_of(filter))}, filter);
}
/// The width of a head is an axis of the layer, 40 by its lengths.
TEST(Load, QueryFactorsOfAnAxis) {
    const auto w = normal<double>(1, 6, 5);
    auto to = unwritten<double>(6), want = unwritten<double>(6);
    planner::compute_at_load<load::QueryFactors<planner::dim<1>, 3>>({2, {7, 40}}, *to, *w);
    planner::compute_at_load<load::QueryFactors<40, 3>>({}, *want, *w);
    EXPECT_EQ(error_of(value_of(std::as_const(to)), value_of(std::as_const(want))), 0);
    EXPECT_NE((*to)({{0}}), (*to)({{5}}));
}
/// Sums are of the weights as they are stored, and in fp32; with the sums of exact products the error would grow with
/// the mean of what is normalised.
TEST(Load, SumsAreOfRoundedWeights) {
    const auto w = normal<fp16>(1, 2, 300);
    const auto gamma = normal<fp16>(2, 300);
    auto scaled = unwritten<fp16>(2, 300);
    load::ScaledColumns::compute(*w, *gamma, *scaled);
    auto sums = unwritten<float>(2);
    load::RowSums::compute(*std::as_const(scaled), *sums);
    for (std::size_t n = 0; n < 2; ++n) {
        double rounded = 0, exact = 0;
        for (std::size_t k = 0; k < 300; ++k) {
            const double product =
                inlay::from_storage<double>(w.v[300 * n + k]) * inlay::from_storage<double>(gamma.v[k]);
            rounded += inlay::from_storage<double>(inlay::to_storage<fp16>(product));
            exact += product;
        }
        EXPECT_NEAR(static_cast<double>(sums.v[n]), rounded, 1e-5);
        EXPECT_GT(std::abs(static_cast<double>(sums.v[n]) - exact), 1e-4);
    }
    static_assert(load::RowSums::fp32 && load::Shift::fp32 && !load::ScaledColumns::fp32);
}

}  // namespace
