// SPDX-License-Identifier: Apache-2.0
/// Leaves of a score, and of an expression of a row, at their coordinates: `online::evaluate` takes them.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/attention/online/evaluate.hpp>
#include <inlay/plan/attention/row_value.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

/// Out is `product`, the product of query and key. `env.out`: the extents of scores, [B, heads, Sq, Skv]. T: float,
/// double. Of a row, which has no key, tensor slots are read at key 0.
template <class T, class Environment>
struct ScoreLeaves {
    const Environment& env;
    ScoreRow row;
    index_t key = 0;
    T product = T(0);

    template <class Leaf>
    INLAY_FN INLAY_INLINE T operator()(Leaf) const {
        if constexpr (detail::is_sum<Leaf>) return product;
        else if constexpr (detail::is_coord<Leaf>) {
            constexpr int axis = detail::score_axis<Leaf::axis>;
            static_assert(axis >= 0 && axis < 4, "inlay: Coord of a score names an axis of [B, heads, Sq, Skv]");
            return static_cast<T>(axis == 0 ? row.batch : axis == 1 ? row.head : axis == 2 ? row.query : key);
        } else if constexpr (detail::is_query_position<Leaf>) {
            return static_cast<T>(row.query + env.out[3] - env.out[2]);
        } else if constexpr (detail::is_param<Leaf>) {
            return env.template scalar<Leaf::slot>().template as<T>();
        } else {
            static_assert(detail::is_buf<Leaf>, "inlay: the score of an attention reads a tensor as it lies: no view "
                                                "stands in it");
            const auto& t = env.template tensor<Leaf::slot>();
            constexpr int R = std::remove_cvref_t<decltype(t)>::rank;
            const index_t c[] = {row.batch, row.head, row.query, key};
            index_t at = 0;
            INLAY_UNROLL
            for (int i = 0; i < R; ++i) at += t.extents[i] == 1 ? 0 : c[4 - R + i] * t.strides[i];
            return from_storage<T>(t.data[at]);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI

INLAY_STRICT_DEVICE_END
