// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/frame/attention.hpp>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;

template <int D, class Mask = mask::Full>
struct plain : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask> {};
template <int D, class Mask = mask::Full>
struct base2 : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask, score::Base2> {};
template <int D>
struct heads_last : Attention<D, Buf<0>, Buf<1>, Buf<2>, Permuted<Store<0>, 0, 2, 1, 3>> {};
// Q, K and V as three slices of one projection [B, S, 3, H, D].
template <int I>
using Third = Permute<Reshape<Slice<Buf<0>, 2, I, 1>, 2, 13, 3, 40>, 0, 2, 1, 3>;
struct from_projection : Attention<40, Third<0>, Third<1>, Third<2>> {};
struct silu_residual : Attention<40, Buf<0>, Buf<1>, Buf<2>, Silu<Add<Out, Buf<3>>>> {};

template <class T>
struct AttentionTest : ::testing::Test {
    template <class K>
    static void expect(index_t b, index_t h, index_t kv_heads, index_t sq, index_t skv, unsigned seed = 0) {
        const index_t d = K::d;
        const auto q = normal<T>(seed + 1, b, h, sq, d), k = normal<T>(seed + 2, b, kv_heads, skv, d),
                   v = normal<T>(seed + 3, b, kv_heads, skv, d);
        expect_oracle_computing<K, T>(Extents<4>{{b, h, sq, d}}, *q, *k, *v);
    }
};
TYPED_TEST_SUITE(AttentionTest, StorageTypes, StorageNames);

TYPED_TEST(AttentionTest, HeadDimensions) {
    this->template expect<plain<8>>(3, 2, 2, 9, 13);
    this->template expect<plain<33>>(1, 2, 2, 9, 13);
    this->template expect<plain<40>>(2, 2, 2, 70, 77);
    this->template expect<plain<64>>(1, 2, 2, 33, 77);
    this->template expect<plain<80>>(1, 2, 2, 33, 64);
    this->template expect<plain<128>>(1, 2, 2, 17, 77);
    this->template expect<plain<128>>(1, 2, 2, 1, 300);
    this->template expect<plain<160>>(2, 1, 1, 17, 77);
    this->template expect<plain<512>>(1, 1, 1, 19, 70);
}

TYPED_TEST(AttentionTest, Lengths) {
    for (const auto& [sq, skv] :
         {std::pair<index_t, index_t>{1, 1}, {1, 77}, {77, 1}, {3, 5}, {64, 64}, {65, 129}, {5, 300}})
        for (unsigned seed = 0; seed < 3; ++seed) this->template expect<plain<40>>(1, 3, 3, sq, skv, seed * 10);
}

TYPED_TEST(AttentionTest, GroupedQueries) {
    this->template expect<plain<40>>(2, 6, 2, 9, 77);
    this->template expect<plain<64>>(3, 4, 1, 9, 77);
    for (const index_t queries : {1, 5}) this->template expect<plain<128>>(2, 6, 2, queries, 150);
    this->template expect<plain<64, mask::Causal>>(1, 4, 2, 20, 33);
}

TYPED_TEST(AttentionTest, Causal) {
    this->template expect<plain<64, mask::Causal>>(2, 2, 2, 77, 77);
    this->template expect<plain<40, mask::Causal>>(1, 2, 2, 9, 77);    // the last query sees all
    this->template expect<plain<40, mask::Causal>>(1, 2, 2, 1, 77);
    this->template expect<plain<40, mask::Causal>>(1, 2, 2, 150, 130);  // the first 20 see nothing: 0
}

// Powers of two of Q·K, whose exponents have a deviation of √D.
TYPED_TEST(AttentionTest, Base2) {
    this->template expect<base2<40>>(2, 2, 2, 70, 77);
    this->template expect<base2<40>>(1, 2, 2, 70, 300);
    this->template expect<base2<64>>(1, 2, 1, 33, 130);
    this->template expect<base2<40, mask::Causal>>(1, 2, 2, 150, 130);  // the first 20 see nothing: 0
}
// A query that was multiplied by the factor gives what the usual score gives of the query.
TEST(Attention, Base2OfScaledQueriesIsTheUsualSoftmax) {
    std::vector<double> q(20 * 40), scaled(q.size()), k(90 * 40), v(k.size()), usual(q.size()), base(q.size());
    const auto fill = [](std::vector<double>& x, double from) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(from + 1.7 * static_cast<double>(i * i % 1009));
    };
    fill(q, 1), fill(k, 2), fill(v, 3);
    for (std::size_t i = 0; i < q.size(); ++i) scaled[i] = q[i] * score::Base2::factor(40);
    Oracle oracle;
    const auto heads = [](auto& x, index_t n) { return tensor(x.data(), 1, 1, n, 40); };
    prepare<plain<40>>(heads(usual, 20), heads(q, 20), heads(k, 90), heads(v, 90)).run(oracle);
    prepare<base2<40>>(heads(base, 20), heads(scaled, 20), heads(k, 90), heads(v, 90)).run(oracle);
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(usual[i], base[i], 1e-12) << i;
}

TYPED_TEST(AttentionTest, ViewsEpilogueSink) {
    const auto q = normal<TypeParam>(1, 2, 3, 13, 40), k = normal<TypeParam>(2, 2, 3, 77, 40),
               v = normal<TypeParam>(3, 2, 3, 77, 40);
    expect_oracle_computing<heads_last<40>, TypeParam>(Extents<4>{{2, 13, 3, 40}}, *q, *k, *v);
    const auto r = normal<TypeParam>(4, 2, 3, 13, 40);
    expect_oracle_computing<silu_residual, TypeParam>(q.extents, *q, *k, *v, *r);
    const auto all = normal<TypeParam>(5, 2, 13, 3, 3, 40);
    expect_oracle_computing<from_projection, TypeParam>(Extents<4>{{2, 3, 13, 40}}, *all);
}

// Large logits: one key takes all, and the running maximum must not overflow.
TYPED_TEST(AttentionTest, LargeLogits) {
    const auto q = gaussian<TypeParam>(1, 0, 30, 1, 2, 9, 40), k = gaussian<TypeParam>(2, 0, 30, 1, 2, 200, 40);
    const auto v = normal<TypeParam>(3, 1, 2, 200, 40);
    // Logits of about 6000 have an error of 6000 · 2^-24 in fp32, and so has their exponential.
    EXPECT_LE((compare<plain<40>, TypeParam>(q.extents, *q, *k, *v).error), 1e-3);
    const auto scaled = gaussian<TypeParam>(1, 0, 30 * score::Base2::factor(40), 1, 2, 9, 40);
    EXPECT_LE((compare<base2<40>, TypeParam>(q.extents, *scaled, *k, *v).error), 1e-3);
}

TYPED_TEST(AttentionTest, AsExactAsPyTorch) {
    expect_torch<TypeParam>("attention", [](const TorchCase& t, unsigned seed) {
        const index_t b = t.shape[0], h = t.shape[1], sq = t.shape[2], skv = t.shape[3], d = t.shape[4];
        const auto q = normal<TypeParam>(seed, b, h, sq, d), k = normal<TypeParam>(seed + 10, b, h, skv, d),
                   v = normal<TypeParam>(seed + 20, b, h, skv, d);
        switch (d) {
            case 40: return compare<plain<40>, TypeParam>(q.extents, *q, *k, *v).error;
            case 64: return compare<plain<64>, TypeParam>(q.extents, *q, *k, *v).error;
            case 160: return compare<plain<160>, TypeParam>(q.extents, *q, *k, *v).error;
            case 512: return compare<plain<512>, TypeParam>(q.extents, *q, *k, *v).error;
            default: return std::numeric_limits<double>::infinity();
        }
    });
}

TEST(Attention, NoHeadsDoNothing) {
    const auto q = unwritten<fp16>(1, 0, 20, 64), k = unwritten<fp16>(1, 2, 20, 64);
    expect_oracle<plain<64>, fp16>(Extents<4>{{1, 0, 20, 64}}, *q, *k, *k);
}

TEST(Attention, Misfits) {
    const auto q = unwritten<float>(2, 4, 9, 40), k = unwritten<float>(2, 4, 77, 40),
               wide = unwritten<float>(2, 4, 77, 41), k3 = unwritten<float>(2, 3, 77, 40),
               shorter = unwritten<float>(2, 4, 76, 40), one = unwritten<float>(1, 4, 77, 40);
    auto y = unwritten<float>(2, 4, 9, 40);
    EXPECT_NE(sentence([&] { prepare<plain<40>>(*y, *q, *wide, *wide); })
                  .find("the head dimension is 40, Q is [2, 4, 9, 40], K is [2, 4, 77, 41]"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<plain<40>>(*y, *q, *k, *shorter); }).find("K has 77 keys, V 76"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<plain<40>>(*y, *q, *one, *one); }).find("Q has a batch of 2, K of 1, V of 1"),
              std::string::npos);
    EXPECT_NE(sentence([&] { prepare<plain<40>>(*y, *q, *k, *k3); }).find("K has 4 heads, V 3"), std::string::npos);
    EXPECT_NE(
        sentence([&] { prepare<plain<40>>(*y, *q, *k3, *k3); }).find("4 query heads are not a multiple of 3 key heads"),
        std::string::npos);
}

}  // namespace
