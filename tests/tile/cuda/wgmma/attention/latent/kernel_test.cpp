// SPDX-License-Identifier: Apache-2.0
/// Attention of sm_90a's engine whose values are columns of its keys, with rows short enough for an emulator: heads and
/// keys that fill no tile, several key heads, masks, scores and rows of their own.
#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/launch.hpp>

#include <array>
#include <cmath>
#include <initializer_list>

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T>
struct Latent {
    static constexpr int schedule = 64;
    on_gpu::Launcher& l;
    int parts;

    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        WgmmaAttentionOperands o = wgmma_attention_operands<Form::d, Form::dv>(s, q, k, v);
        if constexpr (!wgmma_attention_schedules(Form::d, Form::dv).values_in_keys()) o.q = wgmma_heads_as_rows(o.q, s);
        ASSERT_TRUE(inlay::detail::begins_rows_of(o.v, o.k));
        on_gpu::launch_wgmma_latent<T, Form>(l, s, o, scores, epilogue, sink, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

template <int D, class... Options>
struct latent : Attention<D, Buf<0>, Buf<1>, Slice<Buf<1>, -1, 0, D - 64>, ValueColumns<D - 64>, Options...> {};

constexpr int short_row = 192;

/// `more`: tensors of the options, which stand in slots from 2 on.
template <class T, int D, class... Options, class... More>
void expect_latent(const std::array<index_t, 4>& extents, double deviation, std::initializer_list<int> slices,
                   More&... more) {
    const auto& [batch, heads, key_heads, keys] = extents;
    auto q = gaussian<T>(1, 0, deviation, batch, heads, 1, D);
    auto k = gaussian<T>(2, 0, deviation, batch, key_heads, keys, D);
    for (const int n : slices)
        expect_schedule<latent<D, Options...>, Latent<T>, T>(n, Extents<4>{{batch, heads, 1, D - 64}}, q, k, more...);
}

TEST(WgmmaLatent, KeysThatFillNoBlock) {
    for (const index_t keys : {1, 64, 65, 200, 450}) expect_latent<bf16, short_row>({1, 64, 1, keys}, 1, {1});
    expect_latent<fp16, short_row>({1, 64, 1, 320}, 1, {1});
}
TEST(WgmmaLatent, HeadsThatFillNoTile) {
    expect_latent<bf16, short_row>({2, 16, 1, 100}, 1, {1});
    expect_latent<bf16, short_row>({2, 6, 2, 130}, 1, {1, 2});
    expect_latent<bf16, short_row>({1, 160, 2, 70}, 1, {1});
}
TEST(WgmmaLatent, BlocksOfAClusterShareOutTheKeys) {
    expect_latent<bf16, short_row>({1, 70, 1, 400}, 1, {2, 4});
    expect_latent<bf16, short_row>({1, 20, 1, 600}, 2, {8});
    expect_latent<fp16, short_row>({1, 20, 1, 30}, 1, {4});     // of which all but one have none
}
// Maxima move in many blocks.
TEST(WgmmaLatent, GreatScores) { expect_latent<bf16, short_row>({1, 64, 1, 700}, 3, {1, 2}); }
TEST(WgmmaLatent, RowsOfTheModel) { expect_latent<bf16, 576>({1, 20, 1, 200}, 1, {1, 2}); }

using Length = mask::If<Less<Coord<3>, Buf<2>>>;
/// Rows of a tile behind the last head read no tensor.
TEST(WgmmaLatent, LengthsOfHeads) {
    for (const index_t heads : {16, 70}) {
        Array<std::int32_t, 4> lengths(Extents<4>{{2, heads, 1, 1}}, 0);
        for (std::size_t i = 0; i < lengths.v.size(); ++i) lengths.v[i] = static_cast<std::int32_t>(i * 29 % 201);
        expect_latent<fp16, short_row, Length>({2, heads, 1, 200}, 1, {1}, lengths);
    }
}
TEST(WgmmaLatent, LengthsOfSequences) {
    Array<std::int32_t, 4> lengths(Extents<4>{{3, 1, 1, 1}}, 0);
    lengths.v = {1, 130, 200};
    expect_latent<bf16, short_row, Length>({3, 20, 1, 200}, 1, {1, 2}, lengths);
    lengths.v = {0, 64, 191};
    expect_latent<bf16, short_row, Length>({3, 20, 1, 200}, 1, {1, 2}, lengths);
}

// The head is a row's own, in scores, conditions and the end of rows.
TEST(WgmmaLatent, HeadsAreRows) {
    using Sloping = score::Of<Add<Mul<Out, Const<0.1>>, Mul<Buf<2>, Coord<3>>>>;
    using ByHead = mask::If<LessEqual<Coord<3>, Add<Mul<Coord<1>, Const<3>>, Const<1>>>>;
    Array<float, 3> slopes(Extents<3>{{70, 1, 1}}, 0);
    for (std::size_t i = 0; i < 70; ++i) slopes.v[i] = 0.01f * static_cast<float>(i % 7) - 0.02f;
    expect_latent<bf16, short_row, Sloping>({1, 70, 1, 150}, 1, {1}, slopes);
    expect_latent<bf16, short_row, ByHead>({1, 70, 1, 150}, 1, {1, 2});
    expect_latent<bf16, short_row, row::Sink<Buf<2>>>({1, 70, 1, 150}, 1, {1, 2}, slopes);
}

// A number of each row, of all slices of the keys.
TEST(WgmmaLatent, NumbersOfRows) {
    constexpr index_t heads = 70, keys = 200;
    struct logs : latent<short_row, RowStore<1, row::LogSumExp>> {};
    auto q = normal<bf16>(1, 1, heads, 1, short_row), k = normal<bf16>(2, 1, 1, keys, short_row);
    Array<bf16, 4> y(Extents<4>{{1, heads, 1, short_row - 64}}, 0);
    Array<float, 3> sums(Extents<3>{{1, heads, 1}}, 0);
    for (const int slices : {1, 2}) {
        Placed of_q(q), of_k(k), to(y);
        Placed of_sums(sums);
        Latent<bf16> target{executor().launcher(), slices};
        prepare<logs>(*to, *of_sums, *of_q, *of_k).run(target);
        of_sums.fetch();
        for (std::size_t h = 0; h < heads; ++h) {
            double sum = 0;
            for (std::size_t j = 0; j < keys; ++j) {
                double product = 0;
                for (std::size_t i = 0; i < short_row; ++i)
                    product += static_cast<double>(static_cast<float>(q.v[h * short_row + i])) *
                               static_cast<double>(static_cast<float>(k.v[j * short_row + i]));
                sum += std::exp(product / std::sqrt(static_cast<double>(short_row)));
            }
            EXPECT_NEAR(sums.v[h], std::log(sum), 1e-4) << "head " << h << " of " << slices << " slices";
        }
    }
}

}  // namespace
