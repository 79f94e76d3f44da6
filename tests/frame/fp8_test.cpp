// SPDX-License-Identifier: Apache-2.0
/// Tensors in fp8: read by every frame, written by elementwise kernels, and as keys and values that scales bring to
/// their size.
#include "check.hpp"

#include <inlay/frame/attention.hpp>

#include <cstring>

namespace {

using namespace inlay;
using namespace inlay_test;

struct copy : Elementwise<Buf<0>> {};
struct scaled : Elementwise<Mul<Buf<0>, Buf<1>>> {};
struct softmax_of : Softmax<Mul<Buf<0>, Buf<1>>> {};
struct product : Linear<Mul<Buf<0>, Param<0>>, Out, Store<0>, Small> {};

/// Keys and values that a scalar scales, that vectors of a number for each head do, and for each 16 keys.
struct by_tensor : Attention<64, Buf<0>, Mul<Buf<1>, Param<0>>, Mul<Buf<2>, Param<1>>> {};
struct by_head : Attention<64, Buf<0>, Mul<Buf<1>, Buf<3>>, Mul<Buf<2>, Buf<4>>, mask::Causal> {};
template <int I>
using OfBlock = Upsample<Buf<I>, 16, 2>;
struct by_block : Attention<64, Buf<0>, Mul<Buf<1>, OfBlock<3>>, Mul<Buf<2>, OfBlock<4>>> {};
struct unscaled : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};
struct in_pages : Attention<64, Buf<0>, Mul<Paged<Buf<1>, Buf<3>>, Param<0>>, Mul<Paged<Buf<2>, Buf<3>>, Buf<4>>> {};

Array<fp8, 1> all_values() {
    Array<fp8, 1> x({{256}}, 0);
    for (unsigned b = 0; b < 256; ++b) x.v[b] = fp8::from_bits(static_cast<std::uint8_t>(b));
    return x;
}

template <class T>
struct Fp8Test : ::testing::Test {
    /// Within the error of an engine of 16 bits that rounds keys, values, probabilities and results.
    template <class K, int R, class... Args>
    static void expect_scaled(const Extents<R>& out, const Args&... args) {
        const Compared c = compare<K, T>(out, args...);
        const double rounding = rounds_operands<T> ? 2 * rounding_of<T>(c.oracle) : c.rounding;
        EXPECT_LE(c.error, fp32_error + 1.25 * rounding) << name<K>();
    }
};
TYPED_TEST_SUITE(Fp8Test, StorageTypes, StorageNames);

TYPED_TEST(Fp8Test, IsReadExactly) {
    const auto x = all_values();
    const auto y = run<copy, TypeParam>(executor(1), as_outputs(x.extents), *x);
    for (std::size_t i = 0; i < 256; ++i) {
        const double exact = from_storage<double>(x.v[i]), got = from_storage<double>(std::get<0>(y).v[i]);
        EXPECT_TRUE(got == exact || (std::isnan(got) && std::isnan(exact))) << i << ": " << got;
    }
}
TYPED_TEST(Fp8Test, IsWrittenToTheNearest) {
    for (const index_t columns : {1, 2, 6, 16, 37, 64}) {
        const auto x = gaussian<TypeParam>(1, 0, 100, 9, columns);
        const auto factor = normal<TypeParam>(2, columns);
        const auto y = run<copy, fp8>(executor(1), as_outputs(x.extents), *x);
        for (std::size_t i = 0; i < x.v.size(); ++i)
            EXPECT_EQ(std::get<0>(y).v[i].bits, to_storage<fp8>(from_storage<float>(x.v[i])).bits) << i;
        expect_oracle<scaled, fp8>(x.extents, *x, *factor);
    }
}
TYPED_TEST(Fp8Test, SaturatesAndKeepsNaN) {
    constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    Array<TypeParam, 1> x({{8}}, 0);
    const double in[] = {1000, -1000, infinity, -infinity, nan, 449, 0, -0.0},
                 out[] = {448, -448, 448, -448, nan, 448, 0, 0};
    for (std::size_t i = 0; i < 8; ++i) x.v[i] = to_storage<TypeParam>(in[i]);
    const auto y = run<copy, fp8>(executor(1), as_outputs(x.extents), *x);
    for (std::size_t i = 0; i < 8; ++i) {
        const double got = from_storage<double>(std::get<0>(y).v[i]);
        EXPECT_TRUE(got == out[i] || (std::isnan(got) && std::isnan(out[i]))) << in[i] << ": " << got;
    }
}
TYPED_TEST(Fp8Test, Rows) {
    for (const index_t columns : {40, 320, 1283}) {
        const auto x = normal<fp8>(1, 7, columns);
        const auto factor = normal<TypeParam>(2, columns);
        expect_oracle<softmax_of, TypeParam>(x.extents, *x, *factor);
    }
}
TYPED_TEST(Fp8Test, Products) {
    const auto x = normal<fp8>(1, 40, 96);
    const auto w = normal<TypeParam>(2, 48, 96);
    expect_oracle_computing<product, TypeParam>(Extents<2>{{40, 48}}, *w, *x, 0.3);
}

TYPED_TEST(Fp8Test, KeysAndValuesOfATensorsScale) {
    for (const index_t queries : {1, 40}) {
        const auto q = normal<TypeParam>(1, 2, 4, queries, 64);
        const auto k = normal<fp8>(2, 2, 2, 77, 64), v = normal<fp8>(3, 2, 2, 77, 64);
        this->template expect_scaled<by_tensor>(q.extents, *q, *k, *v, 0.7, 1.3);
    }
}
TYPED_TEST(Fp8Test, KeysAndValuesOfAHeadsScale) {
    const auto q = normal<TypeParam>(1, 2, 4, 33, 64);
    const auto k = normal<fp8>(2, 2, 2, 130, 64), v = normal<fp8>(3, 2, 2, 130, 64);
    const auto of_k = gaussian<float>(4, 1, 0.2, 1, 2, 1, 1), of_v = gaussian<float>(5, 1, 0.2, 2, 2, 1, 1);
    this->template expect_scaled<by_head>(q.extents, *q, *k, *v, *of_k, *of_v);
}
TYPED_TEST(Fp8Test, KeysAndValuesOfABlocksScale) {
    const auto q = normal<TypeParam>(1, 2, 4, 3, 64);
    const auto k = normal<fp8>(2, 2, 2, 80, 64), v = normal<fp8>(3, 2, 2, 80, 64);
    const auto of_k = gaussian<float>(4, 1, 0.2, 2, 2, 5, 1), of_v = gaussian<float>(5, 1, 0.2, 1, 2, 5, 1);
    this->template expect_scaled<by_block>(q.extents, *q, *k, *v, *of_k, *of_v);
}
TYPED_TEST(Fp8Test, KeysAndValuesAsTheyAre) {
    const auto q = normal<TypeParam>(1, 1, 2, 9, 40);
    const auto k = normal<fp8>(2, 1, 2, 77, 40), v = normal<fp8>(3, 1, 2, 77, 40);
    expect_oracle_computing<unscaled, TypeParam>(q.extents, *q, *k, *v);
}
TYPED_TEST(Fp8Test, KeysAndValuesInPages) {
    const auto q = normal<TypeParam>(1, 2, 4, 1, 64);
    const auto k = normal<fp8>(2, 9, 16, 2, 64), v = normal<fp8>(3, 9, 16, 2, 64);
    const auto of_v = gaussian<float>(5, 1, 0.2, 1, 2, 1, 1);
    Array<std::int32_t, 2> table({{2, 6}}, 0);
    for (std::size_t i = 0; i < table.v.size(); ++i) table.v[i] = static_cast<std::int32_t>(i * 7 % 9);
    this->template expect_scaled<in_pages>(q.extents, *q, *k, *v, *table, *of_v, 0.7);
}

}  // namespace
