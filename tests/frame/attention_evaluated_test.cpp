// SPDX-License-Identifier: Apache-2.0
/// Attention whose Q, K and V are computed: rotary embeddings, functions, a cast, a concatenation, of lengths that fill
/// no tile and of such as sm_90a's engine takes, which has them evaluated before.
#include "attention_cases.hpp"
#include "attention_rotary.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

struct of_functions : Attention<64, Sin<Buf<0>>, Buf<1>, Exp<Mul<Buf<2>, Const<0.25>>>> {};
struct values_are_keys : Attention<64, Buf<0>, Silu<Buf<1>>, Silu<Buf<1>>, mask::Causal> {};
template <class T>
struct cast_keys : Attention<64, Buf<0>, Cast<Buf<1>, T>, Buf<2>, mask::Causal> {};
struct of_parts : Attention<64, Concat<-1, Buf<0>, Buf<1>>, Concat<-1, Buf<2>, Mul<Buf<3>, Param<0>>>, Buf<4>> {};

template <class T>
struct AttentionEvaluated : AttentionCase<T> {};
TYPED_TEST_SUITE(AttentionEvaluated, AttentionTypes, StorageNames);

TYPED_TEST(AttentionEvaluated, RotaryEmbeddingsOfSharedKeyHeads) {
    for (const auto& [batch, n] : {std::pair<index_t, index_t>{2, 33}, {1, 130}}) {
        const auto [cosines, sines] = rotary_angles<TypeParam, 64>(n);
        this->template expect<rotary<64>>({batch, 4, 2, n, n}, *cosines, *sines);
    }
}
TYPED_TEST(AttentionEvaluated, Functions) {
    this->template expect<of_functions>({1, 2, 1, 150, 130});
    this->template expect<of_functions>({2, 2, 2, 1, 77});
    this->template expect<of_functions>({1, 2, 2, 9, 0});
    const auto q = normal<TypeParam>(1, 1, 4, 129, 64), k = normal<TypeParam>(2, 1, 2, 129, 64);
    expect_oracle_computing<values_are_keys, TypeParam>(q.extents, *q, *k);
}
TYPED_TEST(AttentionEvaluated, KeysCastFromFloat) {
    const auto q = normal<TypeParam>(1, 2, 4, 70, 64), v = normal<TypeParam>(3, 2, 2, 130, 64);
    const auto k = normal<float>(2, 2, 2, 130, 64);
    expect_oracle_computing<cast_keys<TypeParam>, TypeParam>(q.extents, *q, *k, *v);
}
TYPED_TEST(AttentionEvaluated, ConcatenatedColumns) {
    const auto q = normal<TypeParam>(1, 1, 2, 130, 48), q_rope = normal<TypeParam>(2, 1, 2, 130, 16),
               k = normal<TypeParam>(3, 1, 2, 90, 48), rope = normal<TypeParam>(4, 1, 2, 90, 16),
               v = normal<TypeParam>(5, 1, 2, 90, 64);
    expect_oracle_computing<of_parts, TypeParam>(Extents<4>{{1, 2, 130, 64}}, *q, *q_rope, *k, *rope, *v, 0.5);
}

}  // namespace
