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

constexpr auto j = coord<3>;

/// Keys and values that a scalar scales, that vectors of a number for each head do, and for each 16 keys.
struct by_tensor : Attention<64, Buf<0>, Mul<Buf<1>, Param<0>>, Mul<Buf<2>, Param<1>>> {};
struct by_head : Attention<64, Buf<0>, Mul<Buf<1>, Buf<3>>, Mul<Buf<2>, Buf<4>>, mask::Causal> {};
template <int I>
using OfBlock = Upsample<Buf<I>, 16, 2>;
struct by_block : Attention<64, Buf<0>, Mul<Buf<1>, OfBlock<3>>, Mul<Buf<2>, OfBlock<4>>> {};
struct by_one_block : Attention<64, Buf<0>, Mul<Buf<1>, OfBlock<3>>, Mul<Buf<2>, Buf<4>>,
                                mask::If<decltype(j < buf<5>)>> {};
struct hiding : Attention<64, Buf<0>, Mul<Buf<1>, Buf<3>>, Mul<Buf<2>, Buf<4>>, mask::If<Less<Coord<3>, Buf<5>>>> {};
struct by_element : Attention<64, Buf<0>, Mul<Buf<1>, Buf<3>>, Mul<Buf<2>, Buf<4>>> {};
struct unscaled : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};
struct unscaled64 : Attention<64, Buf<0>, Buf<1>, Buf<2>> {};
struct of_160 : Attention<160, Buf<0>, Mul<Buf<1>, Param<0>>, Buf<2>, ValueColumns<128>> {};
template <int D>
struct of_length : Attention<D, Buf<0>, Mul<Buf<1>, Param<0>>, Mul<Buf<2>, Param<1>>> {};
struct with_sink : Attention<64, Buf<0>, Mul<Buf<1>, Param<0>>, Mul<Buf<2>, Param<1>>, score::Softcap<Const<20>>,
                             row::Sink<Buf<3>>> {};
struct linear : Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Linear> {};
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
TYPED_TEST(Fp8Test, KeysOfAnyNumber) {
    for (const index_t keys : {1, 15, 64, 130, 1111}) {
        const auto q = normal<TypeParam>(1, 2, 6, 1, 64);
        const auto k = normal<fp8>(2, 2, 2, keys, 64), v = normal<fp8>(3, 2, 2, keys, 64);
        this->template expect_scaled<by_tensor>(q.extents, *q, *k, *v, 0.7, 1.3);
    }
}
TYPED_TEST(Fp8Test, ScalesOfAFewQueries) {
    const auto q = gaussian<TypeParam>(1, 0, 0.5, 2, 4, 3, 64);     // rounded keys cost scores less than weights lose
    const auto k = normal<fp8>(2, 2, 2, 240, 64), v = normal<fp8>(3, 2, 2, 240, 64);
    const auto of_head = gaussian<float>(4, 1, 0.2, 2, 2, 1, 1), of_block = gaussian<float>(5, 1, 0.2, 2, 2, 15, 1);
    this->template expect_scaled<by_head>(q.extents, *q, *k, *v, *of_head, *of_head);
    Array<std::int32_t, 4> lengths({{2, 1, 1, 1}}, 0);
    lengths.v = {201, 240};
    this->template expect_scaled<by_one_block>(q.extents, *q, *k, *v, *of_block, *of_head, *lengths);
    const auto of_columns = gaussian<float>(6, 1, 0.2, 2, 1, 64);
    this->template expect_scaled<by_element>(q.extents, *q, *k, *v, *of_columns, *of_head);
    const auto of_keys = gaussian<float>(7, 1, 0.1, 2, 2, 240, 1);
    this->template expect_scaled<by_element>(q.extents, *q, *k, *v, *of_keys, *of_keys);
    this->template expect_scaled<by_element>(q.extents, *q, *k, *v, *of_head, *of_columns);
}
TYPED_TEST(Fp8Test, ScalesOfAnySize) {
    // Weights times scales, and rows of Q, that fp16 has no numbers for.
    const auto q = normal<TypeParam>(1, 1, 4, 2, 64);
    const auto k = normal<fp8>(2, 1, 2, 320, 64), v = normal<fp8>(3, 1, 2, 320, 64);
    const auto of_v = gaussian<float>(5, 1, 0.2, 1, 2, 20, 1);
    constexpr bool wide = !std::is_same_v<TypeParam, fp16>;
    const auto of_k = gaussian<float>(4, 1, 0.2, 1, 2, 20, 1);
    for (const double size : {1e-7, 1.0, 60000.0})
        for (const double last : {1.0, 1e-3, 0.0, -5e2}) {
            if (!wide && size != 1.0) continue;
            auto scales = of_v;
            for (std::size_t i = 0; i < scales.v.size(); ++i)
                scales.v[i] *= static_cast<float>((i % 20 < 10 ? 1 : last) * (wide ? size : 1));
            this->template expect_scaled<by_block>(q.extents, *q, *k, *v, *of_k, *scales);
        }
    if constexpr (wide)
        for (const double size : {0x1p-40, 0x1p+60}) {
            auto large = q;
            for (std::size_t i = 0; i < large.v.size(); ++i)
                large.v[i] = to_storage<TypeParam>(from_storage<double>(large.v[i]) * size);
            this->template expect_scaled<by_tensor>(q.extents, *large, *k, *v, 1 / size, 1.3);
        }
}
/// Places behind the last key of a cache hold anything, the scales of their values too.
TYPED_TEST(Fp8Test, ScalesOfHiddenKeys) {
    if constexpr (std::is_same_v<TypeParam, fp16>) return;      // holds no value so large
    const auto q = gaussian<TypeParam>(1, 0, 0.5, 1, 4, 1, 64);
    const auto k = normal<fp8>(2, 1, 2, 160, 64), v = normal<fp8>(3, 1, 2, 160, 64);
    auto scales = gaussian<float>(4, 1, 0.1, 1, 2, 160, 1);
    const auto of_head = gaussian<float>(5, 1, 0.1, 1, 2, 1, 1);
    for (std::size_t i = 0; i < scales.v.size(); ++i) scales.v[i] *= i % 160 < 8 ? 1.0f : 1e10f;
    Array<std::int32_t, 4> lengths({{1, 1, 1, 1}}, 0);
    lengths.v = {8};
    this->template expect_scaled<hiding>(q.extents, *q, *k, *v, *of_head, *scales, *lengths);
}
TYPED_TEST(Fp8Test, NaNsOfKeysAndValues) {
    const fp8 nan = fp8::from_bits(0x7f), negative = fp8::from_bits(0xff);
    const auto q = normal<TypeParam>(1, 1, 4, 1, 64);
    auto k = normal<fp8>(2, 1, 2, 77, 64), v = normal<fp8>(3, 1, 2, 77, 64);
    k.v[(0 * 77 + 50) * 64 + 9] = nan;
    v.v[(1 * 77 + 76) * 64 + 31] = negative;
    const auto y = run<by_tensor, TypeParam>(executor(1), as_outputs(q.extents), *q, *k, *v, 0.7, 1.3);
    // All of the heads that read the first key head, and a column of the others.
    for (std::size_t i = 0; i < 4 * 64; ++i)
        EXPECT_EQ(std::isnan(from_storage<double>(std::get<0>(y).v[i])), i < 2 * 64 || i % 64 == 31) << i;
}
TYPED_TEST(Fp8Test, OtherHeadsAndRows) {
    const auto q = normal<TypeParam>(1, 2, 4, 1, 64), q160 = normal<TypeParam>(1, 2, 4, 1, 160);
    const auto k = normal<fp8>(2, 2, 2, 77, 64), v = normal<fp8>(3, 2, 2, 77, 64);
    const auto k160 = normal<fp8>(2, 2, 2, 77, 160), v128 = normal<fp8>(3, 2, 2, 77, 128);
    const auto sinks = gaussian<float>(4, 0, 1, 4, 1, 1);
    this->template expect_scaled<unscaled64>(q.extents, *q, *k, *v);
    this->template expect_scaled<of_160>(Extents<4>{{2, 4, 1, 128}}, *q160, *k160, *v128, 0.7);
    this->template expect_scaled<with_sink>(q.extents, *q, *k, *v, *sinks, 0.7, 1.3);
    this->template expect_scaled<linear>(q.extents, *q, *k, *v);
    const auto expect_length = [&]<int D>(std::integral_constant<int, D>) {
        const auto of_q = normal<TypeParam>(1, 1, 4, 1, D);
        const auto of_k = normal<fp8>(2, 1, 2, 150, D), of_v = normal<fp8>(3, 1, 2, 150, D);
        this->template expect_scaled<of_length<D>>(of_q.extents, *of_q, *of_k, *of_v, 0.7, 1.3);
    };
    expect_length(std::integral_constant<int, 16>{});
    expect_length(std::integral_constant<int, 48>{});
    expect_length(std::integral_constant<int, 128>{});
    expect_length(std::integral_constant<int, 256>{});  // longer than registers hold of Q
}
TYPED_TEST(Fp8Test, RowsInGaps) {
    const auto q = normal<TypeParam>(1, 2, 4, 1, 64);
    const auto v = normal<fp8>(3, 2, 2, 77, 64);
    for (const index_t row : {72, 80}) {    // multiples of 16 bytes, or not
        const auto k = normal<fp8>(2, 2, 2, 77, row);
        const Tensor<const fp8, 4> keys(k.v.data(), {{2, 2, 77, 64}}, {{2 * 77 * row, 77 * row, row, 1}});
        this->template expect_scaled<by_tensor>(q.extents, *q, keys, *v, 0.7, 1.3);
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
    for (const index_t pages : {6, 41}) {
        Array<std::int32_t, 2> table({{2, pages}}, 0);
        for (std::size_t i = 0; i < table.v.size(); ++i) table.v[i] = static_cast<std::int32_t>(i * 7 % 9);
        this->template expect_scaled<in_pages>(q.extents, *q, *k, *v, *table, *of_v, 0.7);
    }
}

}  // namespace
