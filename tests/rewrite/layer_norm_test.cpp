// SPDX-License-Identifier: Apache-2.0
#include <frame/check.hpp>

#include <inlay/rewrite/layer_norm.hpp>

#include <algorithm>

namespace {

using namespace inlay;
using namespace inlay_test;

struct norm : LayerNorm<> {};
struct linear : Linear<Buf<0>, Gelu<Add<Out, Buf<1>>>> {};
struct folded : rules::layer_norm_in_linear<norm, linear> {};
struct row_mean : rules::layer_norm_mean<norm, linear> {};
struct row_rstd : rules::layer_norm_rstd<norm, linear> {};

// A norm of a sum scaled at run time: the layer's own slots move up.
struct norm_of_sum : LayerNorm<Mul<Add<Buf<0>, Buf<1>>, Param<0>>, Out, Store<0>, 1e-3> {};
struct linear_scaled : Linear<Buf<0>, Add<Mul<Out, Param<0>>, Buf<1>>> {};
static_assert(std::is_same_v<rules::layer_norm_in_linear<norm_of_sum, linear_scaled>::epilogue,
                             Add<Mul<Add<Mul<Buf<4>, Sub<Out, Mul<Buf<3>, Buf<5>>>>, Buf<6>>, Param<1>>, Buf<2>>>);

struct Case {
    Array<fp16, 3> x;
    Array<fp16, 1> gamma, beta, bias;
    Array<fp16, 2> w;
    explicit Case(unsigned seed, double mean, double deviation)
        : x(gaussian<fp16>(seed, mean, deviation, 2, 24, 320)), gamma(gaussian<fp16>(seed + 10, 1, 0.3, 320)),
          beta(normal<fp16>(seed + 20, 320)), bias(normal<fp16>(seed + 30, 96)),
          w(gaussian<fp16>(seed + 40, 0, 1 / std::sqrt(320.0), 96, 320)) {}
};
constexpr Extents<3> whole{{2, 24, 320}}, rows{{2, 24, 1}}, result{{2, 24, 96}};

template <class Target>
std::vector<double> apart(Target& target, const Case& c) {
    using T = std::conditional_t<std::is_same_v<Target, Oracle>, double, fp16>;
    const auto normed = std::get<0>(run<norm, T>(target, as_outputs(whole), *c.gamma, *c.beta, *c.x));
    return joined(run<linear, T>(target, as_outputs(result), *c.w, *normed, *c.bias));
}
/// `sums` stands in for the sums of the rounded weights where it is not null.
template <Storage T, Storage F, class Target>
std::vector<double> together(Target& target, const Case& c, const Array<F, 1>* sums = nullptr) {
    auto w = unwritten<T>(96, 320);
    auto own = unwritten<F>(96), shift = unwritten<F>(96);
    rules::fold_layer_norm(*c.w, *c.gamma, *c.beta, *w, *own, *shift);
    const auto mean = std::get<0>(run<row_mean, F>(target, as_outputs(rows), *c.x));
    const auto rstd = std::get<0>(run<row_rstd, F>(target, as_outputs(rows), *c.x, *mean));
    return joined(run<folded, T>(target, as_outputs(result), *w, *c.x, *c.bias, *mean, *rstd,
                                 sums ? **sums : *std::as_const(own), *shift));
}

TEST(LayerNormInLinear, IsExactInDouble) {
    const Case c(1, 10, 1);
    Oracle oracle;
    EXPECT_LE(relative_l2(together<double, double>(oracle, c), apart(oracle, c)), 1e-13);
}

/// fp16: not more than 1.5 times as far from the exact result as the two kernels are, also where the mean is 10
/// deviations; with sums of the unrounded weights it would be several times that.
TEST(LayerNormInLinear, SumsTheWeightsAsRounded) {
    for (const double mean : {0.0, 10.0}) {
        std::vector<double> ratio, unrounded;
        for (unsigned seed = 0; seed < 5; ++seed) {
            const Case c(seed, mean, 1);
            Oracle oracle;
            const auto want = apart(oracle, c);
            const double two = relative_l2(apart(executor(), c), want);
            ratio.push_back(relative_l2(together<fp16, float>(executor(), c), want) / two);
            auto exact = unwritten<double>(96, 320);
            auto sums = unwritten<float>(96), shift = unwritten<float>(96);
            rules::fold_layer_norm(*c.w, *c.gamma, *c.beta, *exact, *sums, *shift);
            unrounded.push_back(relative_l2(together<fp16, float>(executor(), c, &sums), want) / two);
        }
        std::sort(ratio.begin(), ratio.end());
        std::sort(unrounded.begin(), unrounded.end());
        EXPECT_LE(ratio[2], 1.5) << "mean " << mean;
        if (mean > 0) {
            EXPECT_GE(unrounded[2], 2 * ratio[2]);
        }
    }
}

}  // namespace
