// SPDX-License-Identifier: Apache-2.0
/// Extents of 0: a kernel without results does nothing, and where there are results of nothing they are PyTorch's: a
/// sum is 0, a product 1, a mean NaN, and what cannot be is an error of `prepare`.
#include "check.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace inlay;
using namespace inlay_test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Every result of K is `value`, on the executor and on the oracle.
template <class K, Storage T, int R, class... Args>
void expect_all(double value, const Extents<R>& out, const Args&... args) {
    Oracle oracle;
    const auto check = [&](const auto& outputs, const char* where) {
        for (const double x : joined(outputs))
            EXPECT_TRUE(x == value || (std::isnan(x) && std::isnan(value)))
                << name<K>() << " " << text(out) << " on the " << where << ": " << x << ", expected " << value;
    };
    check(run<K, T>(executor(), as_outputs(out), args...), "executor");
    check(run<K, double>(oracle, as_outputs(out), args...), "oracle");
}
template <Storage T, class... I>
auto of(double value, I... extents) {
    return Array<T, sizeof...(I)>({{static_cast<index_t>(extents)...}}, value);
}

struct plain : Linear<> {};
struct plus_bias : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct evaluated : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct gates : Linear<Buf<0>, Mul<Out, OutGate>> {};

template <Storage T>
void products() {
    const auto b = of<T>(3, 16);
    for (const index_t m : {3, 200}) {
        const auto x = of<T>(nan, m, 0), w = of<T>(nan, 16, 0);
        expect_all<plus_bias, T>(3, Extents<2>{{m, 16}}, *w, *x, *b);
        expect_all<evaluated, T>(3, Extents<2>{{m, 16}}, *w, *x, *b);
    }
    const auto x = of<T>(1, 200, 32), none = of<T>(1, 0, 32), w = of<T>(1, 16, 32);
    expect_all<plain, T>(0, Extents<2>{{200, 0}}, *none, *x);
    expect_all<plain, T>(0, Extents<2>{{0, 16}}, *w, *none);
    expect_all<gates, T>(0, Extents<2>{{200, 0}}, *none, *x);
    const auto several = of<T>(1, 0, 5, 32), weights = of<T>(1, 0, 16, 32);
    expect_all<plain, T>(0, Extents<3>{{0, 5, 16}}, *weights, *several);
}
TEST(NoElements, Products) {
    products<float>();
    products<fp16>();
}

struct filter : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct evaluating : Conv2D<Filter<3>, Add<Buf<0>, Const<1.0>>, Add<Out, Buf<1>>> {};
struct grouped : Conv2D<Filter<3, 3, 1, 1, 1, 1, 2>> {};

template <Storage T>
void convolutions() {
    const auto b = of<T>(3, 16);
    const auto x = of<T>(nan, 2, 9, 9, 0), w = of<T>(nan, 16, 3, 3, 0);
    expect_all<filter, T>(3, Extents<4>{{2, 9, 9, 16}}, *w, *x, *b);
    expect_all<grouped, T>(0, Extents<4>{{2, 9, 9, 16}}, *w, *x);
    // An image without rows that is padded: all its pixels are zeros of the padding.
    const auto flat = of<T>(nan, 2, 0, 9, 16), ones = of<T>(1, 16, 3, 3, 16);
    using Tall = Conv2D<Filter<3, 3, 1, 2, 2>, Buf<0>, Add<Out, Buf<1>>>;
    expect_all<Tall, T>(3, Extents<4>{{2, 2, 11, 16}}, *ones, *flat, *b);
    const auto none = of<T>(1, 0, 9, 9, 16), image = of<T>(1, 2, 9, 9, 16), nothing = of<T>(1, 0, 3, 3, 16);
    expect_all<filter, T>(0, Extents<4>{{0, 9, 9, 16}}, *ones, *none, *b);
    expect_all<evaluating, T>(0, Extents<4>{{0, 9, 9, 16}}, *ones, *none, *b);
    expect_all<evaluating, T>(0, Extents<4>{{2, 9, 9, 0}}, *nothing, *image, *of<T>(1, 0));
}
TEST(NoElements, Convolutions) {
    convolutions<float>();
    convolutions<fp16>();
}

template <class Mask>
struct attend : Attention<64, Buf<0>, Buf<1>, Buf<2>, Mask> {};

template <Storage T>
void attentions() {
    const auto q = of<T>(1, 2, 4, 70, 64), none = of<T>(nan, 2, 2, 0, 64);
    expect_all<attend<mask::Full>, T>(0, q.extents, *q, *none, *none);
    expect_all<attend<mask::Causal>, T>(0, q.extents, *q, *none, *none);
    const auto k = of<T>(1, 2, 2, 9, 64), no_queries = of<T>(1, 2, 4, 0, 64), no_heads = of<T>(1, 2, 0, 9, 64),
               no_batch = of<T>(1, 0, 4, 9, 64);
    expect_all<attend<mask::Full>, T>(0, no_queries.extents, *no_queries, *k, *k);
    expect_all<attend<mask::Full>, T>(0, no_heads.extents, *no_heads, *k, *k);
    expect_all<attend<mask::Full>, T>(0, no_heads.extents, *no_heads, *no_heads, *no_heads);
    expect_all<attend<mask::Full>, T>(0, no_batch.extents, *no_batch, *no_batch, *no_batch);
}
TEST(NoElements, Attention) {
    attentions<float>();
    attentions<fp16>();
}

template <class Op, int... A>
struct over : Reduce<Op, Axes<A...>> {};

template <int Axis>
void reductions() {
    Extents<3> e{{3, 4, 4}};
    Array<float, 3> input(e, nan);
    e[Axis < 0 ? Axis + 3 : Axis] = 1;
    input.extents[Axis < 0 ? Axis + 3 : Axis] = 0;
    expect_all<over<reduction::Sum, Axis>, float>(0, e, *input);
    expect_all<over<reduction::Product, Axis>, float>(1, e, *input);
    expect_all<over<reduction::Mean, Axis>, float>(nan, e, *input);
    auto y = Array<float, 3>(e, 0);
    for (const std::string& said : {sentence([&] { prepare<over<reduction::Max, Axis>>(*y, *input); }),
                                    sentence([&] { prepare<over<reduction::Min, Axis>>(*y, *input); })})
        EXPECT_TRUE(said.ends_with("the input " + std::string(text(input.extents)) +
                                   " has no elements along the reduced axes, of which there would be a maximum or "
                                   "minimum"))
            << said;
    // No results: nothing is missing.
    e[0] = input.extents[0] = 0;
    expect_all<over<reduction::Max, Axis>, float>(0, e, *input);
}
TEST(NoElements, Reductions) {
    reductions<-1>();
    reductions<1>();
    expect_all<over<reduction::Mean, 0, 1, 2>, float>(nan, Extents<3>{{1, 1, 1}}, *of<float>(1, 2, 0, 3));
}

struct softmax : Softmax<> {};
struct layer_norm : LayerNorm<> {};
struct rms_norm : RMSNorm<> {};
struct group_norm : GroupNorm<4> {};

TEST(NoElements, RowsAndGroups) {
    const auto g = of<float>(1, 8), none = of<float>(1, 0);
    for (const auto& e : {Extents<3>{{2, 3, 0}}, {{0, 3, 8}}, {{2, 0, 8}}}) {
        const Array<float, 3> x(e, 1);
        const auto& c = e[2] == 0 ? none : g;
        expect_all<softmax, float>(0, e, *x);
        expect_all<layer_norm, float>(0, e, *c, *c, *x);
        expect_all<rms_norm, float>(0, e, *c, *x);
        expect_all<group_norm, float>(0, e, *c, *c, *x);
    }
}

struct stats : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};
TEST(NoElements, Statistics) {
    auto y = of<float>(1, 2, 0, 8), s = of<float>(1, 2, 8, 2), none = of<float>(1, 0, 5, 8),
         no_stats = of<float>(1, 0, 8, 2);
    const std::string said = sentence([&] { prepare<stats>(*y, *s, *y); });
    EXPECT_TRUE(said.ends_with("the channels of [2, 0, 8] have no elements, so no mean")) << said;
    execute<stats>(executor(), *none, *no_stats, *none);
}

template <int Axis>
struct gathered : Elementwise<Gather<Buf<0>, Buf<1>, Axis>> {};

TEST(NoElements, Gathers) {
    std::vector<std::int32_t> ids = {0, 5};
    const Tensor<const std::int32_t, 1> two(ids.data(), {{2}}), zero(ids.data(), {{0}});
    auto y = of<float>(0, 2, 4), z = of<float>(0, 3, 2);
    const auto table = of<float>(1, 0, 4), wide = of<float>(1, 3, 0), both = of<float>(1, 0, 0);
    const auto says = [](const std::string& said, const char* what) { EXPECT_TRUE(said.ends_with(what)) << said; };
    says(sentence([&] { prepare<Embedding<>>(*y, *table, two); }),
         "the table [0, 4] has nothing along axis 0 that an index could name");
    says(sentence([&] { prepare<gathered<1>>(*z, *wide, two); }),
         "the table [3, 0] has nothing along axis 1 that an index could name");
    expect_all<gathered<0>, float>(0, Extents<2>{{0, 4}}, *table, zero);
    expect_all<gathered<0>, float>(0, Extents<2>{{2, 0}}, *both, two);
    expect_all<gathered<1>, float>(0, Extents<2>{{3, 0}}, *wide, zero);
}

struct padded : Elementwise<Pad<Buf<0>, -1, 2, 1, 7.0>> {};
struct joined_to : Elementwise<Concat<-1, Buf<0>, Buf<1>, Buf<0>>> {};
struct larger : Elementwise<Upsample2x<Buf<0>>> {};
struct apart : Elementwise<Dilate<Buf<0>, 2, -2>> {};
struct patches : Elementwise<Pad<Im2col<Buf<0>, 3, 3, 1, 1>, -1, 0, 4, 7.0>> {};
struct flat : Elementwise<Reshape<Slice<Buf<0>, 1, 2, 0>, 0, 5>> {};
struct stretched : Elementwise<Add<Buf<0>, Buf<1>>> {};
struct parts : Elementwise<Buf<0>, Partition<-1, Store<0>, Store<1>, Store<2>>> {};

TEST(NoElements, Views) {
    const auto x = of<float>(nan, 3, 0), one = of<float>(7, 3, 1);
    const auto image = of<float>(nan, 1, 0, 4, 8), no_channels = of<float>(nan, 1, 4, 4, 0);
    expect_all<padded, float>(7, Extents<2>{{3, 3}}, *x);
    expect_all<joined_to, float>(7, Extents<2>{{3, 1}}, *x, *one);
    expect_all<larger, float>(0, Extents<4>{{1, 0, 8, 8}}, *image);
    expect_all<apart, float>(0, Extents<4>{{1, 0, 7, 8}}, *image);
    expect_all<patches, float>(7, Extents<4>{{1, 4, 4, 4}}, *no_channels);
    expect_all<flat, float>(0, Extents<2>{{0, 5}}, *of<float>(1, 3, 4));
    expect_all<stretched, float>(0, Extents<2>{{3, 0}}, *x, *one);
    const auto outs = outputs(Extents<2>{{3, 0}}, Extents<2>{{3, 1}}, Extents<2>{{3, 0}});
    for (const double v : joined(run<parts, float>(executor(), outs, *one))) EXPECT_EQ(v, 7);
}

}  // namespace
