// SPDX-License-Identifier: Apache-2.0
/// Rows of attention: softmax with other denominators, rows without a maximum, several reductions.
#include "attention_cases.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <class T>
struct AttentionRows : AttentionCase<T> {};
TYPED_TEST_SUITE(AttentionRows, AttentionTypes, StorageNames);

TYPED_TEST(AttentionRows, Denominators) {
    this->template expect_all<attentions::plus_one>();
    for (const AttentionSizes& s : all_shapes)
        this->template expect<attentions::learned_sink>(s, *normal<float>(4, s.heads, 1, 1));
    this->template expect_all<attentions::maximum_and_sum>();
    this->template expect_all<attentions::fixed_maximum>();
}
TYPED_TEST(AttentionRows, RowsWithoutAMaximum) {
    this->template expect_all<attentions::sigmoid>();
    this->template expect_all<attentions::linear>();
}
TYPED_TEST(AttentionRows, SeveralReductions) { this->template expect_all<attentions::two_softmaxes>(0.4); }
// Scores of about 200, whose exponentials are no floats.
TYPED_TEST(AttentionRows, LargeMeans) {
    const auto q = gaussian<TypeParam>(1, 5, 1, 1, 2, 33, 64), k = gaussian<TypeParam>(2, 5, 1, 1, 2, 300, 64),
               v = normal<TypeParam>(3, 1, 2, 300, 64);
    const auto expect = [&]<class K>(const K&, const auto& outs, const auto&... more) {
        // An error of 200 · 2^-24 in a score is one of its exponential.
        const Compared c = compare<K, TypeParam>(outs, *q, *k, *v, more...);
        EXPECT_LE(c.error, tolerance_computing<TypeParam>(c) + 5e-5) << inlay::name<K>();
    };
    const Extents<4> out{{1, 2, 33, 64}};
    expect(attentions::plus_one{}, out);
    expect(attentions::learned_sink{}, out, *gaussian<float>(4, 200, 1, 2, 1, 1));
    expect(attentions::two_softmaxes{}, out, 0.4);
    auto slopes = unwritten<float>(2, 1, 1);
    slopes.v = {1, -1};
    expect(attentions::alibi{}, out, *slopes);
}

}  // namespace
