// SPDX-License-Identifier: Apache-2.0
/// Attention from its algebra against the oracle: shapes of the cases, and how they are compared.
#pragma once

#include "attention_algebra.hpp"
#include "check.hpp"

namespace inlay_test {

struct AttentionSizes {
    index_t b, heads, kv_heads, queries, keys;
};
/// Whole and ragged tiles, more queries than keys, one of each, none.
inline const AttentionSizes all_shapes[] = {{2, 4, 2, 33, 77}, {1, 2, 1, 65, 300}, {1, 2, 2, 150, 130},
                                            {1, 2, 2, 1, 1},   {3, 4, 1, 1, 70},   {1, 2, 1, 5, 0},
                                            {1, 2, 1, 0, 5}};

template <class T>
struct AttentionCase : ::testing::Test {
    /// The most by which a number changes when it is rounded to T, relative to it.
    static constexpr double half_unit = inlay::dtype_of<T> == inlay::DType::f32 ? 0x1p-24
                                        : inlay::dtype_of<T> == inlay::DType::f16 ? 0x1p-11
                                                                                  : 0x1p-8;
    /// K with these tensors and scalars behind Q, K and V, against the oracle.
    template <class K, class... More>
    static void expect(const AttentionSizes& s, const More&... more) {
        const auto q = normal<T>(1, s.b, s.heads, s.queries, K::d), k = normal<T>(2, s.b, s.kv_heads, s.keys, K::d),
                   v = normal<T>(3, s.b, s.kv_heads, s.keys, K::dv);
        const Extents<4> out{{s.b, s.heads, s.queries, K::dv}};
        const auto expect_near = [&](const auto& outs) {
            const Compared c = compare<K, T>(outs, *q, *k, *v, more...);
            // An engine of 16 bits rounds weights: of one key alone this is no mean of many roundings.
            const double of_weight = rounds_operands<T> && s.keys == 1 ? half_unit : 0;
            EXPECT_LE(c.error, tolerance_computing<T>(c) + 1.25 * of_weight)
                << inlay::name<K>() << " of " << s.queries << " queries and " << s.keys << " keys";
        };
        if constexpr (std::is_same_v<typename K::row_store, inlay::NoRowStore>) expect_near(out);
        else expect_near(outputs(out, Extents<3>{{s.b, s.heads, s.queries}}));
    }
    template <class K, class... More>
    static void expect_all(const More&... more) {
        for (const AttentionSizes& s : all_shapes) expect<K>(s, more...);
    }
};
/// The CPU computes fp16 in fp32, and other tests read and write storage types; a GPU's engines differ.
using AttentionTypes = std::conditional_t<rounds_operands<inlay::fp16>, StorageTypes, ::testing::Types<float>>;

}  // namespace inlay_test
