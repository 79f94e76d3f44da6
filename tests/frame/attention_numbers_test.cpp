// SPDX-License-Identifier: Apache-2.0
/// Numbers of rows, passes of their own and columns of V.
#include "attention_cases.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T>
struct AttentionNumbers : AttentionCase<T> {};
TYPED_TEST_SUITE(AttentionNumbers, AttentionTypes, StorageNames);

TYPED_TEST(AttentionNumbers, NumbersOfRows) {
    this->template expect_all<attentions::log_sum_exp>();
    this->template expect_all<attentions::softcap_log_sum_exp>();
    this->template expect_all<attentions::log_sum_exp_of_nothing>();
    this->template expect_all<attentions::counted>();
}
TYPED_TEST(AttentionNumbers, PassesOfTheirOwn) { this->template expect_all<attentions::above_mean>(); }
TYPED_TEST(AttentionNumbers, ColumnsOfValues) {
    this->template expect_all<attentions::narrow_values>();
    this->template expect_all<attentions::wide_values>();
}
// Scores of about 200, whose exponentials are no floats.
TYPED_TEST(AttentionNumbers, LogSumExpOfLargeMeans) {
    const auto q = gaussian<TypeParam>(1, 5, 1, 1, 2, 33, 64), k = gaussian<TypeParam>(2, 5, 1, 1, 2, 300, 64),
               v = normal<TypeParam>(3, 1, 2, 300, 64);
    const Compared c = compare<attentions::log_sum_exp, TypeParam>(
        outputs(Extents<4>{{1, 2, 33, 64}}, Extents<3>{{1, 2, 33}}), *q, *k, *v);
    EXPECT_LE(c.error, tolerance_computing<TypeParam>(c));
}
TYPED_TEST(AttentionNumbers, AllOptionsTogether) {
    for (const AttentionSizes& s : all_shapes) {
        if (s.queries == 0) continue;
        const auto q = normal<TypeParam>(1, s.b, s.heads, s.queries, 64),
                   k = normal<TypeParam>(2, s.b, s.kv_heads, s.keys, 64),
                   v = normal<TypeParam>(3, s.b, s.kv_heads, s.keys, 64);
        const auto logits = normal<float>(4, s.heads, 1, 1);
        const auto shift = normal<TypeParam>(5, s.heads, s.queries, 64);
        expect_oracle_computing<attentions::options_together, TypeParam>(
            outputs(Extents<4>{{s.b, s.queries, s.heads, 64}}, Extents<3>{{s.b, s.heads, s.queries}}), *q, *k, *v,
            *logits, *shift, 20.0);
    }
}

}  // namespace
