// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case.hpp"

namespace inlay_bench {

/// Queries in slot 0, pools of pages in 1 and 2, the table of keys in 3 and that of values in ValueTable.
template <int ValueTable>
struct paged_attend
    : inlay::Attention<128, Heads<0>, inlay::Paged<inlay::Buf<1>, inlay::Buf<3>>,
                       inlay::Paged<inlay::Buf<2>, inlay::Buf<ValueTable>>,
                       inlay::Permuted<inlay::Store<0>, 0, 2, 1, 3>> {};

/// Pages [pages, page, key heads, D] and tables [B, n].
struct PagedTokens : Tokens<bf16> {
    index_t page;
    const std::int32_t *k_table, *v_table;

    auto pool(const bf16* p) const { return inlay::tensor(p, s.batch * s.keys / page, page, s.key_heads, s.d); }
    auto table(const std::int32_t* t) const { return inlay::tensor(t, s.batch, s.keys / page); }
};
std::function<Launch(int)> unpaged(const Tokens<bf16>& o);
std::function<Launch(int)> two_tables(const PagedTokens& o);

}  // namespace inlay_bench
