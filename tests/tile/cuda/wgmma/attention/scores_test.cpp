// SPDX-License-Identifier: Apache-2.0
/// Scores in the registers of a product: keys that do not exist, or that a condition hides, and expressions.
#include "softmaxes.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/scores.hpp>

#include <cmath>

namespace emulator_test {

struct Args {
    Env<4, 0> env{};
    int queries, keys;
};
template <class Condition>
__global__ void masks(const __grid_constant__ Args a, int first_key, float* to) {
    const int lane = static_cast<int>(threadIdx.x), row = lane / 4, column = lane % 4 * 2;
    float s[keys / 2] = {};
    if constexpr (std::is_same_v<Condition, Const<1>>) mask_absent(s, first_key, column, a.keys);
    else if constexpr (solved_by_types<Condition>)
        WgmmaRowKeys<Condition>::of(a, WgmmaScorePlace{0, 0, row, 0}).mask(s, first_key + column);
    else mask_each<Condition>(s, a, WgmmaScorePlace{0, 0, row, first_key + column});
    for (int i = 0; i < keys / 2; ++i) to[(row + i / 2 % 2 * 8) * keys + i / 4 * 8 + column + i % 2] = s[i];
}
/// `sees(position, key)`: the condition in the host's numbers; the last query stands at the last key.
template <class Condition, class Sees>
void expect_mask(int queries, int all, Sees&& sees) {
    for (const int first : {0, 16, 32}) {
        const Floats to(counting(rows * keys));
        Args a{{}, queries, all};
        a.env.out = {{1, 1, queries, all}};
        ASSERT_EQ(error_of({1, 32}, masks<Condition>, a, first, to.p), "");
        const auto got = to.get();
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < keys; ++k) {
                const bool visible = first + k < all && sees(r + all - queries, first + k);
                EXPECT_EQ(got[static_cast<std::size_t>(r * keys + k)], visible ? 0.0f : -infinity)
                    << first << ": " << r << ", " << k;
            }
    }
}
TEST(WgmmaScores, MasksWhatIsHidden) {
    using Causal = mask::Causal::condition;
    expect_mask<Const<1>>(20, 37, [](int, int) { return true; });
    expect_mask<Causal>(20, 37, [](int q, int k) { return k <= q; });
    expect_mask<mask::Window<Const<7>>::condition>(20, 37, [](int q, int k) { return k <= q && k > q - 7; });
    expect_mask<And<Causal, Or<Less<Coord<3>, Const<3>>, Less<Sub<QueryPosition, Coord<3>>, Const<5>>>>>(
        20, 37, [](int q, int k) { return k <= q && (k < 3 || k > q - 5); });
    using Product = Less<Mul<Coord<3>, QueryPosition>, Const<200>>;     // no bound is solved
    expect_mask<Product>(20, 37, [](int q, int k) { return q * k < 200; });
}

/// tanh by the few instructions of scores, against the C library's.
template <template <class> class Tanh>
void expect_tanh(double within) {
    for (double x = -12; x <= 12; x += 0.01)
        EXPECT_NEAR(static_cast<double>(Tanh<Out>::apply(static_cast<float>(x))), std::tanh(x), within) << x;
    EXPECT_TRUE(std::isnan(Tanh<Out>::apply(std::nanf(""))));
    EXPECT_EQ(Tanh<Out>::apply(1e30f), 1.0f);
    EXPECT_EQ(Tanh<Out>::apply(-1e30f), -1.0f);
}
TEST(QuickScore, Tanh) {
    expect_tanh<flash::CoarseTanh>(1.0 / (1 << 17));
    expect_tanh<flash::QuickTanh>(1.0 / (1 << 21));
}
TEST(QuickScore, Rewrites) {
    using Cap = score::Softcap<Const<20>>::of<64>;
    static_assert(std::is_same_v<flash::QuickScore<Cap, fp16>,
                                 Mul<Const<20>, flash::CoarseTanh<Mul<Out, Const<0.125 * (1 / 20.0)>>>>>);
    using Steep = score::Softcap<Const<50>>::of<64>;    // an error of the coarse one would exceed that of fp16
    static_assert(std::is_same_v<flash::QuickScore<Steep, fp16>,
                                 Mul<Const<50>, flash::QuickTanh<Mul<Out, Const<0.125 * (1 / 50.0)>>>>>);
    static_assert(std::is_same_v<flash::QuickScore<Steep, bf16>,
                                 Mul<Const<50>, flash::CoarseTanh<Mul<Out, Const<0.125 * (1 / 50.0)>>>>>);
    static_assert(std::is_same_v<flash::QuickScore<Div<Out, Param<0>>, fp16>, Mul<Out, Div<Const<1>, Param<0>>>>);
    // Steps keep their quotients: 41 · fl(1 / 41) is less than 1.
    using Step = Floor<Div<Coord<3>, Const<41>>>;
    static_assert(std::is_same_v<flash::QuickScore<Add<Div<Out, Const<8>>, Step>, fp16>,
                                 Add<Mul<Out, Const<0.125>>, Step>>);
    using Far = Less<Div<Coord<3>, Const<41>>, Const<1>>;
    static_assert(std::is_same_v<flash::QuickScore<Where<Far, Div<Out, Const<8>>, Out>, fp16>,
                                 Where<Far, Mul<Out, Const<0.125>>, Out>>);
}

}  // namespace emulator_test
