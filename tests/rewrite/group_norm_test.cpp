// SPDX-License-Identifier: Apache-2.0
#include <frame/check.hpp>

#include <inlay/rewrite/group_norm.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct producer : Conv2D<Filter<1>, Buf<0>, Add<Out, Buf<1>>, WithStats<Store<0>, 1>> {};
struct norm : GroupNorm<4, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};
struct conv : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct inlined : rules::group_norm_in_conv<norm, conv> {};
static_assert(std::is_same_v<inlined::prologues,
                             types<Silu<Add<Mul<Sub<Concat<-1, Buf<0>, Buf<1>>, Buf<3>>, Buf<4>>, Buf<5>>>>>);
static_assert(std::is_same_v<inlined::epilogue, Add<Out, Buf<2>>>);

/// A tensor and the statistics its producer published, in fp32 like its consumer reads them.
template <class Target>
std::pair<Array<float, 4>, Array<float, 3>> produce(Target& target, unsigned seed, index_t channels, double mean) {
    const auto x = normal<float>(seed, 2, 6, 5, 8), w = normal<float>(seed + 1, channels, 1, 1, 8);
    const auto bias = gaussian<float>(seed + 2, mean, 3, channels);
    auto y = unwritten<float>(2, 6, 5, channels);
    auto stats = unwritten<float>(2, channels, 2);
    execute<producer>(target, *y, *stats, *w, *x, *bias);
    return {y, stats};
}

/// 20 and 12 channels in groups of 8: the third straddles the border. Means of 0 and of about 70 deviations.
TEST(GroupNormInConv, FromPublishedStatisticsOfBothSidesOfASkip) {
    for (const double mean : {0.0, 300.0}) {
        const auto [a, sa] = produce(executor(), 1, 20, mean);
        const auto [b, sb] = produce(executor(), 7, 12, mean);
        const auto gamma = gaussian<float>(11, 1, 0.3, 32), beta = normal<float>(12, 32), bias = normal<float>(13, 7);
        const auto w = normal<float>(14, 7, 3, 3, 32);
        const auto outs = as_outputs(Extents<4>{{2, 6, 5, 7}});
        Oracle oracle;
        const auto normed = std::get<0>(
            run<norm, double>(oracle, as_outputs(Extents<4>{{2, 6, 5, 32}}), *gamma, *beta, *a, *b));
        const auto want = joined(run<conv, double>(oracle, outs, *w, *normed, *bias));

        auto means = unwritten<float>(2, 1, 1, 32), scale = unwritten<float>(2, 1, 1, 32);
        rules::group_norm_coefficients<norm, conv>(30, *gamma, *means, *scale, *sa, *sb);
        const auto got = joined(run<inlined, float>(executor(), outs, *w, *a, *b, *bias, *means, *scale, *beta));
        // fp32 rounds a mean of 70 deviations by up to 4e-6 of one.
        EXPECT_LE(relative_l2(got, want), mean == 0 ? 1e-6 : 1e-5) << "mean " << mean;
    }
}

TEST(GroupNormInConv, MergedMomentsAreThoseOfTheUnion) {
    const auto x = gaussian<double>(3, 50, 2, 1, 7, 6);
    auto stats = unwritten<double>(1, 6, 2);
    double sum = 0, squares = 0;
    for (index_t c = 0; c < 6; ++c) {
        double mean = 0, m2 = 0;
        for (index_t i = 0; i < 7; ++i) mean += x.at({{0, i, c}}) / 7;
        for (index_t i = 0; i < 7; ++i) m2 += std::pow(x.at({{0, i, c}}) - mean, 2);
        (*stats)({{0, c, 0}}) = mean;
        (*stats)({{0, c, 1}}) = m2;
    }
    for (index_t c = 1; c < 5; ++c)
        for (index_t i = 0; i < 7; ++i) sum += x.at({{0, i, c}});
    for (index_t c = 1; c < 5; ++c)
        for (index_t i = 0; i < 7; ++i) squares += std::pow(x.at({{0, i, c}}) - sum / 28, 2);
    const auto m = rules::merged_moments(7, 0, 1, 5, *stats);
    EXPECT_EQ(m.count, 28);
    EXPECT_NEAR(m.mean, sum / 28, 1e-12);
    EXPECT_NEAR(m.m2, squares, 1e-9);
}

}  // namespace
