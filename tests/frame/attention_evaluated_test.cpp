// SPDX-License-Identifier: Apache-2.0
/// Attention whose Q, K and V are computed: rotary embeddings, functions, a cast, a concatenation, of lengths that fill
/// no tile and of such as sm_90a's engine takes, which has them evaluated before.
#include "attention_cases.hpp"

#include <inlay/expr/view/concat.hpp>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Heads of 64 columns, x₁ and x₂, turned by angles whose cosines and sines are [keys, 64], each angle twice:
/// cos · x + sin · (−x₂, x₁).
template <class X>
using Turned = Add<Mul<X, Buf<3>>, Mul<Concat<-1, Neg<Slice<X, -1, 32, 32>>, Slice<X, -1, 0, 32>>, Buf<4>>>;
struct rotary : Attention<64, Turned<Buf<0>>, Turned<Buf<1>>, Buf<2>, mask::Causal, score::Softcap<Const<20>>> {};
struct of_functions : Attention<64, Sin<Buf<0>>, Buf<1>, Exp<Mul<Buf<2>, Const<0.25>>>> {};
struct values_are_keys : Attention<64, Buf<0>, Silu<Buf<1>>, Silu<Buf<1>>, mask::Causal> {};
template <class T>
struct cast_keys : Attention<64, Buf<0>, Cast<Buf<1>, T>, Buf<2>, mask::Causal> {};
struct of_parts : Attention<64, Concat<-1, Buf<0>, Buf<1>>, Concat<-1, Buf<2>, Mul<Buf<3>, Param<0>>>, Buf<4>> {};

template <class T>
struct AttentionEvaluated : AttentionCase<T> {};
TYPED_TEST_SUITE(AttentionEvaluated, AttentionTypes, StorageNames);

/// Cosines and sines of positions, [n, 64] each.
template <class T>
auto turns(index_t n) {
    auto cosines = unwritten<T>(n, 64), sines = unwritten<T>(n, 64);
    for (index_t i = 0; i < n; ++i)
        for (index_t c = 0; c < 64; ++c) {
            const double angle = static_cast<double>(i) * std::pow(10000.0, -static_cast<double>(c % 32) / 32);
            const auto at = static_cast<std::size_t>(i * 64 + c);
            cosines.v[at] = T(static_cast<float>(std::cos(angle)));
            sines.v[at] = T(static_cast<float>(std::sin(angle)));
        }
    return std::pair(cosines, sines);
}

TYPED_TEST(AttentionEvaluated, RotaryEmbeddingsOfSharedKeyHeads) {
    for (const auto& [batch, n] : {std::pair<index_t, index_t>{2, 33}, {1, 130}}) {
        const auto [cosines, sines] = turns<TypeParam>(n);
        this->template expect<rotary>({batch, 4, 2, n, n}, *cosines, *sines);
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
