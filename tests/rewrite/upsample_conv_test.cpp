// SPDX-License-Identifier: Apache-2.0
#include <frame/check.hpp>

#include <inlay/rewrite/upsample_conv.hpp>

#include <algorithm>

namespace {

using namespace inlay;
using namespace inlay_test;

struct upsample : Conv2D<Filter<3>, Upsample2x<Buf<0>>, Add<Out, Buf<1>>> {};
struct upsample_silu : Conv2D<Filter<3>, Upsample2x<Silu<Add<Buf<0>, Param<0>>>>, Silu<Add<Out, Buf<1>>>> {};

template <class K, int P, int Q>
struct phase : rules::upsample_phase<K, P, Q> {};
template <class K>
struct phases : rules::upsample_phases<K> {};

template <Storage T>
Array<T, 5> phase_weights(const Array<T, 4>& w) {
    auto to = unwritten<T>(4, w.extents[0], 2, 2, w.extents[3]);
    rules::phase_weights(*w, *to);
    return to;
}
/// Weights of few bits, whose sums are exact.
auto coarse(index_t o, index_t c) {
    auto w = normal<double>(3, o, 3, 3, c);
    for (double& x : w.v) x = std::round(8 * x) / 8;
    return w;
}

TEST(UpsampleConv, FourPhasesGiveTheOracleOfTheWhole) {
    const auto x = normal<double>(1, 2, 5, 4, 3), w = coarse(7, 3);
    const auto bias = normal<double>(2, 7);
    const auto v = phase_weights(w);
    Oracle oracle;
    const auto want = std::get<0>(run<upsample, double>(oracle, as_outputs(Extents<4>{{2, 10, 8, 7}}), *w, *x, *bias));
    auto y = unwritten<double>(2, 10, 8, 7);
    double flops = 0;
    const auto one = [&]<int P, int Q>() {
        const Tensor<const double, 4> part((*v).data + (2 * P + Q) * 7 * 2 * 2 * 3, {{7, 2, 2, 3}});
        const auto k = prepare<phase<upsample, P, Q>>(*y, part, *x, *bias);
        k.run(oracle);
        flops += k.problem.flops;
    };
    one.operator()<0, 0>();
    one.operator()<0, 1>();
    one.operator()<1, 0>();
    one.operator()<1, 1>();
    EXPECT_LE(relative_l2(y.v, want.v), 1e-15);
    EXPECT_EQ(9 * flops, 4 * prepare<upsample>(*y, *w, *x, *bias).problem.flops);
}

TEST(UpsampleConv, OneLaunchGivesTheOracleOfTheWhole) {
    const auto x = normal<double>(1, 2, 5, 4, 3), w = coarse(7, 3);
    const auto bias = normal<double>(2, 7);
    const auto v = phase_weights(w);
    Oracle oracle;
    const auto want =
        std::get<0>(run<upsample_silu, double>(oracle, as_outputs(Extents<4>{{2, 10, 8, 7}}), *w, *x, *bias, 0.25));
    auto y = unwritten<double>(2, 10, 8, 7);
    const auto k =
        prepare<phases<upsample_silu>>(*y, reshaped(*v, 4, 7, 12), *x, *bias, 0.25);
    k.run(oracle);
    EXPECT_LE(relative_l2(y.v, want.v), 1e-15);
    EXPECT_EQ(9 * k.problem.flops, 4 * prepare<upsample_silu>(*y, *w, *x, *bias, 0.25).problem.flops);
}

TEST(UpsampleConv, HalfWeightsRoundOnceMore) {
    std::vector<double> errors;
    for (unsigned seed = 0; seed < 5; ++seed) {
        const auto x = normal<fp16>(seed, 1, 8, 8, 64);
        const auto bias = normal<fp16>(seed + 5, 64);
        const auto w = gaussian<fp16>(seed + 10, 0, 1 / std::sqrt(9.0 * 64), 64, 3, 3, 64);
        const auto v = phase_weights(w);
        Oracle oracle;
        const auto outs = as_outputs(Extents<4>{{1, 16, 16, 64}});
        const auto want = joined(run<upsample, double>(oracle, outs, *w, *x, *bias));
        const auto whole = joined(run<upsample, fp16>(executor(), outs, *w, *x, *bias));
        auto y = unwritten<fp16>(1, 16, 16, 64);
        execute<phases<upsample>>(executor(), *y, reshaped(*v, 4, 64, 256), *x, *bias);
        errors.push_back(relative_l2(doubles(y.v), want) / relative_l2(whole, want));
    }
    std::sort(errors.begin(), errors.end());
    EXPECT_LE(errors[2], 1.5);
}

TEST(UpsampleConv, AnEpilogueReadsTensorsAtItsPixel) {
    struct residual : Conv2D<Filter<3>, Upsample2x<Buf<0>>, Mul<Add<Out, Buf<1>>, Coord<-2>>> {};
    const auto x = normal<double>(1, 1, 4, 4, 3), skip = normal<double>(2, 1, 8, 8, 7), w = coarse(7, 3);
    const auto v = phase_weights(w);
    Oracle oracle;
    const auto want = std::get<0>(run<residual, double>(oracle, as_outputs(Extents<4>{{1, 8, 8, 7}}), *w, *x, *skip));
    auto y = unwritten<double>(1, 8, 8, 7);
    prepare<phases<residual>>(*y, reshaped(*v, 4, 7, 12), *x, *skip).run(oracle);
    EXPECT_LE(relative_l2(y.v, want.v), 1e-15);
}

}  // namespace
