// SPDX-License-Identifier: Apache-2.0
/// Parts of weights, beside the parts of a product.
#pragma once

#include <inlay/rewrite/planner/load/symbol.hpp>

namespace inlay::inline INLAY_ABI::planner::load {

/// [N] → [N / Parts], part I.
template <int I, int Parts>
struct VectorPart : load_symbol {
    static constexpr const char* name = "part of a vector";
    static constexpr ClassData data(const ClassData* c) { return detail::vector_of(c[0].extents[0] / Parts); }
    template <class V, class To>
    static void compute(const V& v, const To& to) {
        const index_t n = to.extents[0];
        for (index_t i = 0; i < n; ++i) detail::set(to, i, detail::at(v, I * n + i));
    }
};

}  // namespace inlay::inline INLAY_ABI::planner::load
