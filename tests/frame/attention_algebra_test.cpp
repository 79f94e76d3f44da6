// SPDX-License-Identifier: Apache-2.0
/// Attention from its algebra: masks, scores, rows and shapes beside those of plain softmax.
#include "attention_algebra.hpp"
#include "check.hpp"

#if !defined(__CUDACC__) && !defined(__HIP__)  // engines of GPUs take softmax of scaled scores alone

namespace {

using namespace inlay;
using namespace inlay_test;

struct Shape {
    index_t b, heads, kv_heads, queries, keys;
};
/// Whole and ragged tiles, more queries than keys, one of each, none.
const Shape all_shapes[] = {{2, 4, 2, 33, 77}, {1, 2, 1, 65, 300}, {1, 2, 2, 150, 130}, {1, 2, 2, 1, 1},
                            {3, 4, 1, 1, 70},  {1, 2, 1, 5, 0},    {1, 2, 1, 0, 5}};

template <class T>
struct AttentionAlgebra : ::testing::Test {
    /// K with these tensors and scalars behind Q, K and V, against the oracle.
    template <class K, class... More>
    static void expect(const Shape& s, const More&... more) {
        const auto q = normal<T>(1, s.b, s.heads, s.queries, K::d), k = normal<T>(2, s.b, s.kv_heads, s.keys, K::d),
                   v = normal<T>(3, s.b, s.kv_heads, s.keys, K::dv);
        const Extents<4> out{{s.b, s.heads, s.queries, K::dv}};
        if constexpr (std::is_same_v<typename K::row_store, NoRowStore>)
            expect_oracle_computing<K, T>(out, *q, *k, *v, more...);
        else
            expect_oracle_computing<K, T>(outputs(out, Extents<3>{{s.b, s.heads, s.queries}}), *q, *k, *v, more...);
    }
    template <class K, class... More>
    static void expect_all(const More&... more) {
        for (const Shape& s : all_shapes) expect<K>(s, more...);
    }
};
// The CPU computes in fp32 whatever the storage type, which other tests read and write; a GPU's engines differ.
using Types = std::conditional_t<rounds_operands, StorageTypes, ::testing::Types<float>>;
TYPED_TEST_SUITE(AttentionAlgebra, Types, StorageNames);

TYPED_TEST(AttentionAlgebra, Windows) {
    this->template expect_all<attentions::window>();
    for (const double keys : {1.0, 16.0, 1000.0}) this->template expect_all<attentions::window_at_run_time>(keys);
    this->template expect_all<attentions::window_softcap>();
}
TYPED_TEST(AttentionAlgebra, MasksByPosition) {
    this->template expect_all<attentions::prefix>();
    this->template expect_all<attentions::sink_and_window>();
    this->template expect_all<attentions::blocks>();
    this->template expect_all<attentions::every_other>();
    this->template expect_all<attentions::nothing>();
}
TYPED_TEST(AttentionAlgebra, Documents) {
    for (const Shape& s : all_shapes) {
        Array<std::int32_t, 4> of_query({{s.b, 1, s.queries, 1}}, 0), of_key({{s.b, 1, 1, s.keys}}, 0);
        // Ids that fp32 cannot tell apart, in runs of 1 to 40 keys.
        const std::int32_t least = 1 << 25;
        for (index_t b = 0; b < s.b; ++b) {
            for (index_t j = 0; j < s.keys; ++j)
                of_key.v[static_cast<std::size_t>(b * s.keys + j)] = least + static_cast<std::int32_t>((j + b) / 23);
            for (index_t i = 0; i < s.queries; ++i)
                of_query.v[static_cast<std::size_t>(b * s.queries + i)] =
                    least + static_cast<std::int32_t>((i + s.keys - s.queries + b) / 23);
        }
        this->template expect<attentions::documents>(s, *of_query, *of_key);
        for (auto& id : of_key.v) id = least + static_cast<std::int32_t>(&id - of_key.v.data()) * 7 % 5;
        for (auto& id : of_query.v) id = least + static_cast<std::int32_t>(&id - of_query.v.data()) % 6;
        this->template expect<attentions::scattered>(s, *of_query, *of_key);
        Array<std::int32_t, 4> length({{s.b, 1, 1, 1}}, 0);
        for (auto& n : length.v) n = static_cast<std::int32_t>((&n - length.v.data()) * 33 % (s.keys + 1));
        this->template expect<attentions::lengths>(s, *length);
    }
}
TYPED_TEST(AttentionAlgebra, Softcaps) {
    this->template expect_all<attentions::softcap>();
    this->template expect_all<attentions::causal_softcap>(1.5);
}
TYPED_TEST(AttentionAlgebra, Biases) {
    for (const Shape& s : all_shapes) {
        auto slopes = unwritten<float>(s.heads, 1, 1);
        for (std::size_t h = 0; h < slopes.v.size(); ++h) slopes.v[h] = std::exp2(-static_cast<float>(h + 1));
        this->template expect<attentions::alibi>(s, *slopes);
        this->template expect<attentions::bias>(s, *normal<float>(4, s.b, s.heads, s.queries, s.keys));
        this->template expect<attentions::bias>(s, *normal<TypeParam>(4, s.b, 1, 1, s.keys));
        this->template expect<attentions::bias>(s, *normal<TypeParam>(4, s.queries, s.keys));
    }
}
TYPED_TEST(AttentionAlgebra, ScoresThatHide) {
    this->template expect_all<attentions::hides_by_score>();
    this->template expect_all<attentions::hides_by_product>();
    this->template expect_all<attentions::hides_below>();
    this->template expect_all<attentions::masked_by_product>();
}
TYPED_TEST(AttentionAlgebra, Denominators) {
    this->template expect_all<attentions::plus_one>();
    for (const Shape& s : all_shapes)
        this->template expect<attentions::learned_sink>(s, *normal<float>(4, s.heads, 1, 1));
    this->template expect_all<attentions::maximum_and_sum>();
    this->template expect_all<attentions::fixed_maximum>();
}
TYPED_TEST(AttentionAlgebra, RowsWithoutAMaximum) {
    this->template expect_all<attentions::sigmoid>();
    this->template expect_all<attentions::linear>();
}
TYPED_TEST(AttentionAlgebra, NumbersOfRows) {
    this->template expect_all<attentions::log_sum_exp>();
    this->template expect_all<attentions::softcap_log_sum_exp>();
    this->template expect_all<attentions::counted>();
}
TYPED_TEST(AttentionAlgebra, SeveralReductions) {
    this->template expect_all<attentions::two_softmaxes>(0.4);
    this->template expect_all<attentions::above_mean>();
}
// Scores of about 200, whose exponentials are no floats.
TYPED_TEST(AttentionAlgebra, LargeMeans) {
    const auto q = gaussian<TypeParam>(1, 6, 1, 1, 2, 33, 32), k = gaussian<TypeParam>(2, 6, 1, 1, 2, 300, 32),
               v = normal<TypeParam>(3, 1, 2, 300, 32);
    const auto expect = [&]<class K>(const K&, const auto& outs, const auto&... more) {
        // An error of 200 · 2^-24 in a score is one of its exponential.
        const Compared c = compare<K, TypeParam>(outs, *q, *k, *v, more...);
        EXPECT_LE(c.error, tolerance_computing<TypeParam>(c) + 5e-5) << inlay::name<K>();
    };
    const Extents<4> out{{1, 2, 33, 32}};
    expect(attentions::log_sum_exp{}, outputs(out, Extents<3>{{1, 2, 33}}));
    expect(attentions::plus_one{}, out);
    expect(attentions::learned_sink{}, out, *gaussian<float>(4, 200, 1, 2, 1, 1));
    expect(attentions::two_softmaxes{}, out, 0.4);
    auto slopes = unwritten<float>(2, 1, 1);
    slopes.v = {30, -30};
    expect(attentions::alibi{}, out, *slopes);
}
TYPED_TEST(AttentionAlgebra, AllOptionsTogether) {
    for (const Shape& s : all_shapes) {
        if (s.queries == 0) continue;
        const auto q = normal<TypeParam>(1, s.b, s.heads, s.queries, 32),
                   k = normal<TypeParam>(2, s.b, s.kv_heads, s.keys, 32),
                   v = normal<TypeParam>(3, s.b, s.kv_heads, s.keys, 32);
        const auto logits = normal<float>(4, s.heads, 1, 1), shift = normal<TypeParam>(5, s.heads, s.queries, 32);
        expect_oracle_computing<attentions::options_together, TypeParam>(
            outputs(Extents<4>{{s.b, s.queries, s.heads, 32}}, Extents<3>{{s.b, s.heads, s.queries}}), *q, *k, *v,
            *logits, *shift, 20.0);
    }
}
TYPED_TEST(AttentionAlgebra, ColumnsOfValues) {
    this->template expect_all<attentions::narrow_values>();
    this->template expect_all<attentions::wide_values>();
}

}  // namespace

#endif
