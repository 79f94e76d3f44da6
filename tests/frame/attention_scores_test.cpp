// SPDX-License-Identifier: Apache-2.0
/// Scores of attention: expressions over the product of query and key, and those that hide keys.
#include "attention_cases.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T>
struct AttentionScores : AttentionCase<T> {};
TYPED_TEST_SUITE(AttentionScores, AttentionTypes, StorageNames);

TYPED_TEST(AttentionScores, Softcaps) {
    this->template expect_all<attentions::softcap>();
    this->template expect_all<attentions::causal_softcap>(1.5);
}
TYPED_TEST(AttentionScores, Biases) {
    for (const AttentionSizes& s : all_shapes) {
        auto slopes = unwritten<float>(s.heads, 1, 1);
        for (std::size_t h = 0; h < slopes.v.size(); ++h) slopes.v[h] = std::exp2(-static_cast<float>(h + 1));
        this->template expect<attentions::alibi>(s, *slopes);
        this->template expect<attentions::bias>(s, *normal<float>(4, s.b, s.heads, s.queries, s.keys));
        this->template expect<attentions::bias>(s, *normal<TypeParam>(4, s.b, 1, 1, s.keys));
        this->template expect<attentions::bias>(s, *normal<TypeParam>(4, s.queries, s.keys));
    }
}
TYPED_TEST(AttentionScores, ScoresThatHide) {
    this->template expect_all<attentions::hides_by_score>();
    this->template expect_all<attentions::hides_by_product>();
    this->template expect_all<attentions::hides_below>();
    this->template expect_all<attentions::masked_by_product>();
}

}  // namespace
