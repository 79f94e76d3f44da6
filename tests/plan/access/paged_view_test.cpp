// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/access/paged_view.hpp>

#include <inlay/exec/tensor.hpp>
#include <inlay/expr/reference.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace inlay;

TEST(FastDivision, IsThatOfIntegers) {
    std::mt19937 engine(1);
    std::vector<unsigned> divisors{0x7fffffffu, 0x40000000u, 0x40000001u};
    for (unsigned n = 1; n < 300; ++n) divisors.push_back(n);
    for (int i = 0; i < 300; ++i) divisors.push_back(static_cast<unsigned>(engine()) % 0x7fffffffu + 1);
    for (const unsigned n : divisors) {
        const FastDivision by(n);
        for (const unsigned x : {0u, 1u, n - 1, n, n + 1, 2 * n - 1, 0x7ffffffeu, 0x7fffffffu}) {
            if (x > 0x7fffffffu) continue;
            EXPECT_EQ(by(x), x / n) << x << " / " << n;
        }
        for (int i = 0; i < 300; ++i) {
            const unsigned x = static_cast<unsigned>(engine()) & 0x7fffffffu;
            EXPECT_EQ(by(x), x / n) << x << " / " << n;
        }
    }
}

using Slots = Env<-1, 0, Tensor<const float, 4>, Tensor<const std::int32_t, 2>>;

/// Every row lies where the expression has it.
template <class E>
void expect_rows(const Tensor<const float, 4>& pool, const Tensor<const std::int32_t, 2>& table) {
    const Slots env{make_pack(pool, table), {}, {}};
    const auto view = paged_view(bind<E>(env));
    ASSERT_NE(view.data, nullptr);
    const auto e = extents_of<E>(env);
    for (index_t i = 0; i < count(e); ++i) {
        const auto c = unravel(i, e);
        const auto key = static_cast<unsigned>(c[2]);
        const float* row = view.row(*view.id(c[0], key), static_cast<unsigned>(c[1]), key);
        EXPECT_EQ(row[c[3] * view.strides[3]], reference<E>(env, c)) << text(c);
    }
}
TEST(PagedView, RowsLieWhereTheExpressionHasThem) {
    std::vector<float> memory(5 * 12 * 3 * 7);
    std::iota(memory.begin(), memory.end(), 0.0f);
    const std::vector<std::int32_t> ids{4, 0, -3, 2, 2, 99, 1, 3};
    const auto table = tensor(ids.data(), 2, 4);
    for (const index_t page : {1, 4, 3, 12}) {
        const Tensor<const float, 4> pool{memory.data(), {{5, page, 3, 7}}};
        expect_rows<Paged<Buf<0>, Buf<1>>>(pool, table);
        expect_rows<Paged<Permute<Buf<0>, 0, 2, 1, 3>, Buf<1>>>(pool, table);
        expect_rows<Paged<Slice<Buf<0>, -1, 2, 4>, Buf<1>>>(pool, table);
    }
    const Tensor<const std::int32_t, 2> turned{ids.data(), {{4, 2}}, {{1, 4}}};
    expect_rows<Paged<Buf<0>, Buf<1>>>({memory.data(), {{5, 12, 3, 7}}}, turned);
}
TEST(PagedView, StridesBeyond31BitsAreNone) {
    const float x = 0;
    const std::int32_t id = 0;
    const Tensor<const std::int32_t, 2> table{&id, {{1, 1}}};
    const index_t far = index_t(1) << 31;
    const auto data = [&](const Extents<4>& strides) {
        const Slots env{make_pack(Tensor<const float, 4>{&x, {{2, 2, 2, 8}}, strides}, table), {}, {}};
        return paged_view(bind<Paged<Buf<0>, Buf<1>>>(env)).data;
    };
    EXPECT_EQ(data({{32, 16, 8, 1}}), &x);
    EXPECT_EQ(data({{far, 16, 8, 1}}), nullptr);
    EXPECT_EQ(data({{32, far - 1, far - 1, 1}}), nullptr);
    EXPECT_EQ(data({{-32, 16, 8, 1}}), nullptr);
}

}  // namespace
