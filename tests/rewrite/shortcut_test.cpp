// SPDX-License-Identifier: Apache-2.0
#include <frame/check.hpp>

#include <inlay/rewrite/shortcut.hpp>

#include <algorithm>

namespace {

using namespace inlay;
using namespace inlay_test;

struct conv2 : Conv2D<Filter<3>, Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct shortcut : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct shortcut_skip : Linear<Mul<Concat<-1, Buf<0>, Buf<1>>, Param<0>>, Add<Out, Buf<2>>> {};
struct joined_plain : rules::shortcut_in_k<conv2, shortcut> {};
struct joined_skip : rules::shortcut_in_k<conv2, shortcut_skip> {};

static_assert(
    std::is_base_of_v<Linear<Concat<-1, Im2col<Silu<Buf<0>>, 3, 3, 1, 1>, Mul<Concat<-1, Buf<1>, Buf<2>>, Param<0>>>,
                             Add<Out, Buf<3>>>,
                      joined_skip>);

template <Storage T>
Array<T, 1> sum(const Array<T, 1>& a, const Array<T, 1>& b) {
    auto s = a;
    for (std::size_t i = 0; i < s.v.size(); ++i)
        s.v[i] = to_storage<T>(from_storage<double>(a.v[i]) + from_storage<double>(b.v[i]));
    return s;
}

TEST(Shortcut, AsMoreKIsTheSameSum) {
    const auto h = normal<double>(1, 2, 5, 4, 6), x = normal<double>(2, 2, 5, 4, 3);
    const auto w = normal<double>(3, 7, 3, 3, 6);
    const auto v = normal<double>(4, 7, 3);
    const auto b = normal<double>(5, 7), c = normal<double>(6, 7);
    const auto outs = as_outputs(Extents<4>{{2, 5, 4, 7}});
    Oracle oracle;
    const auto projected = std::get<0>(run<shortcut, double>(oracle, outs, *v, *x, *c));
    const auto want = std::get<0>(run<conv2, double>(oracle, outs, *w, *h, *b, *projected));

    auto wv = unwritten<double>(7, 9 * 6 + 3);
    rules::joined_rows(*w, *v, *wv);
    const auto bias = sum(b, c);
    EXPECT_LE(relative_l2(std::get<0>(run<joined_plain, double>(oracle, outs, *wv, *h, *x, *bias)).v, want.v), 1e-14);
}

/// With a concatenated skip connection, in fp16 on the host: as near to the exact result as two kernels are.
TEST(Shortcut, OfASkipConnectionInHalf) {
    std::vector<double> errors;
    for (unsigned seed = 0; seed < 5; ++seed) {
        const auto h = normal<fp16>(seed, 1, 8, 8, 64), x = normal<fp16>(seed + 20, 1, 8, 8, 32),
                   skip = normal<fp16>(seed + 30, 1, 8, 8, 48);
        const auto w = gaussian<fp16>(seed + 40, 0, 1 / std::sqrt(9.0 * 64), 64, 3, 3, 64);
        const auto v = gaussian<fp16>(seed + 50, 0, 1 / std::sqrt(80.0), 64, 80);
        const auto b = normal<fp16>(seed + 60, 64), c = normal<fp16>(seed + 70, 64);
        const auto outs = as_outputs(Extents<4>{{1, 8, 8, 64}});
        Oracle oracle;
        const auto exact = std::get<0>(run<shortcut_skip, double>(oracle, outs, *v, *x, *skip, *c, 0.5));
        const auto want = joined(run<conv2, double>(oracle, outs, *w, *h, *b, *exact));
        const auto projected = std::get<0>(run<shortcut_skip, fp16>(executor(), outs, *v, *x, *skip, *c, 0.5));
        const auto apart = joined(run<conv2, fp16>(executor(), outs, *w, *h, *b, *projected));

        auto wv = unwritten<fp16>(64, 9 * 64 + 80);
        rules::joined_rows(*w, *v, *wv);
        const auto bias = sum(b, c);
        const auto together = joined(run<joined_skip, fp16>(executor(), outs, *wv, *h, *x, *skip, *bias, 0.5));
        errors.push_back(relative_l2(together, want) / relative_l2(apart, want));
    }
    std::sort(errors.begin(), errors.end());
    EXPECT_LE(errors[2], 1.25);
}

}  // namespace
