// SPDX-License-Identifier: Apache-2.0
/// Conditions on scores that leave each query the keys before an end of its own, which does not fall from query to
/// query: their loops and masks need one bound.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/leaf.hpp>

namespace inlay::inline INLAY_ABI {

/// Any other condition: `prefix` is false.
template <class Condition>
struct PrefixMask {
    static constexpr bool prefix = false, identity = false;
};
/// Every query attends to every key.
template <>
struct PrefixMask<Const<1>> {
    static constexpr bool prefix = true, identity = true;
    INLAY_FN static constexpr index_t end(index_t, index_t, index_t keys) { return keys; }
};
/// Query q of Sq attends to keys up to q + Skv − Sq: the last query to all.
template <>
struct PrefixMask<LessEqual<Coord<3>, QueryPosition>> {
    static constexpr bool prefix = true, identity = false;
    /// One past the last key that query `q` attends to.
    INLAY_FN static constexpr index_t end(index_t q, index_t queries, index_t keys) {
        const index_t e = q + 1 + keys - queries;
        return e < 0 ? 0 : e > keys ? keys : e;
    }
};

}  // namespace inlay::inline INLAY_ABI
