// SPDX-License-Identifier: Apache-2.0
/// Attention of sm_90a's engine whose values are columns of its keys, with rows short enough for an emulator: heads and
/// keys that fill no tile, several key heads, masks, scores and rows of their own.
#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/launch.hpp>

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
void expect_latent(index_t batch, index_t heads, index_t key_heads, index_t keys, double deviation, More&... more) {
    auto q = gaussian<T>(1, 0, deviation, batch, heads, 1, D);
    auto k = gaussian<T>(2, 0, deviation, batch, key_heads, keys, D);
    for (const int slices : {1, 2, 8})
        expect_schedule<latent<D, Options...>, Latent<T>, T>(slices, Extents<4>{{batch, heads, 1, D - 64}}, q, k,
                                                             more...);
}

TEST(WgmmaLatent, KeysThatFillNoBlock) {
    for (const index_t keys : {1, 64, 65, 200, 450}) expect_latent<bf16, short_row>(1, 64, 1, keys, 1);
    expect_latent<fp16, short_row>(1, 128, 1, 320, 1);
}
TEST(WgmmaLatent, HeadsThatFillNoTile) {
    expect_latent<bf16, short_row>(2, 16, 1, 100, 1);
    expect_latent<bf16, short_row>(2, 6, 2, 130, 1);
    expect_latent<bf16, short_row>(1, 160, 2, 70, 1);
    expect_latent<bf16, short_row>(1, 400, 2, 150, 1);
}
// Maxima move in many blocks.
TEST(WgmmaLatent, GreatScores) { expect_latent<bf16, short_row>(1, 64, 1, 700, 3); }
TEST(WgmmaLatent, RowsOfTheModel) { expect_latent<bf16, 576>(1, 70, 1, 200, 1); }

using Length = mask::If<Less<Coord<3>, Buf<2>>>;
TEST(WgmmaLatent, LengthsOfSequences) {
    Array<std::int32_t, 4> lengths(Extents<4>{{3, 1, 1, 1}}, 0);
    lengths.v = {1, 130, 200};
    expect_latent<bf16, short_row, Length>(3, 64, 1, 200, 1, lengths);
    lengths.v = {0, 64, 191};
    expect_latent<bf16, short_row, Length>(3, 100, 1, 200, 1, lengths);
}

}  // namespace
