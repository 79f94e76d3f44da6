// SPDX-License-Identifier: Apache-2.0
/// Blocks that share keys: one to more than are read at once, some of which see no key; softmax, its logarithm beside it,
/// and rows that are no softmax; the tiles of few queries, and of few over many keys.
#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/frame/attention.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// The first schedule of keys in boxes, of two.
constexpr int in_boxes = 100;

/// Runs attention with a tile of 16 queries, keys shared by `parts` blocks. Long: which of the schedules of many keys,
/// of them in boxes, or -1.
template <int Long>
struct Shared {
    static constexpr int schedule = Long;
    on_gpu::Launcher& l;
    int parts;

    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        using T = attention_type<Q, K, V>;
        constexpr int last = attention_schedules(sizeof(T), Form::d, Form::dv).size - 1;
        if constexpr (Long >= in_boxes) {
            using Tile = decltype(on_gpu::flash::boxed_tile_of<T, Form::d, Long - in_boxes>());
            const AttentionFacts facts = attention_facts<Form, Epilogue>(s, q, k, v, scores);
            EXPECT_TRUE(facts.problem.boxes);
            on_gpu::attention_with<Tile, Form>(l, s, q, k, v, scores, epilogue, sink, parts,
                                               on_gpu::flash::box_maps<Tile>(facts.k, facts.v));
        } else if constexpr (Long >= 0)
            on_gpu::attention_with<decltype(on_gpu::flash::long_tile_of<T, Form::d, Long>()), Form>(
                l, s, q, k, v, scores, epilogue, sink, parts);
        else
            on_gpu::attention_with<decltype(on_gpu::flash::tile_of<T, Form::d, last>()), Form>(l, s, q, k, v, scores,
                                                                                             epilogue, sink, parts);
    }
    template <class S>
    void publish_stats(const S&) {}
};

struct plain : Attention<128, Buf<0>, Buf<1>, Buf<2>> {};
struct recent : Attention<128, Buf<0>, Buf<1>, Buf<2>, mask::Window<Const<200>>> {};
struct causal : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal> {};
struct hidden : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::If<Less<Coord<3>, Buf<3>>>> {};
struct sigmoid : Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Sigmoid> {};

template <class K, class With, class T, int D>
void expect(index_t keys, int parts) {
    SCOPED_TRACE(std::to_string(keys) + " keys");
    auto q = normal<T>(1, 2, 6, 1, D), k = normal<T>(2, 2, 2, keys, D), v = normal<T>(3, 2, 2, keys, D);
    expect_schedule<K, With, T>(parts, Extents<4>{{2, 6, 1, D}}, q, k, v);
}

TEST(SharedKeys, AnyNumberOfBlocks) {
    for (const int parts : {2, 9, 17}) {
        expect<plain, Shared<-1>, fp16, 128>(1100, parts);
        expect<causal, Shared<-1>, bf16, 64>(1100, parts);
    }
}
TEST(SharedKeys, ManyKeysInLongBlocks) {
    for (const int parts : {1, 10}) expect<plain, Shared<1>, fp16, 128>(1500, parts);
    expect<plain, Shared<1>, bf16, 128>(129, 2);
    expect<plain, Shared<0>, fp16, 128>(1500, 6);
    expect<plain, Shared<0>, bf16, 128>(65, 1);
}
/// Blocks that end behind the last key, shares of fewer blocks than stages, and none; masks with bounds of their own.
TEST(SharedKeys, InBoxes) {
    for (const int parts : {1, 7, 24}) expect<plain, Shared<in_boxes>, fp16, 128>(1500, parts);
    for (const index_t keys : {1, 65, 192}) expect<plain, Shared<in_boxes>, bf16, 128>(keys, 2);
    for (const int parts : {1, 20}) expect<plain, Shared<in_boxes + 1>, fp16, 128>(2600, parts);
    expect<recent, Shared<in_boxes>, fp16, 128>(500, 3);
}
/// A block whose keys are all hidden has a maximum of −∞, and a row without a key is 0.
TEST(SharedKeys, BlocksAndRowsWithoutAKey) {
    auto q = normal<fp16>(1, 3, 4, 1, 64), k = normal<fp16>(2, 3, 2, 900, 64), v = normal<fp16>(3, 3, 2, 900, 64);
    Array<std::int32_t, 4> length(Extents<4>{{3, 1, 1, 1}}, 0);
    length.v = {900, 5, 0};
    for (const int parts : {6, 11})
        expect_schedule<hidden, Shared<-1>, fp16>(parts, Extents<4>{{3, 4, 1, 64}}, q, k, v, length);
}
TEST(SharedKeys, RowsThatAreNoSoftmax) {
    for (const int parts : {1, 9}) expect<sigmoid, Shared<-1>, fp16, 64>(700, parts);
}

}  // namespace
