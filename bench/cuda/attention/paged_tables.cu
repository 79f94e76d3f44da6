// SPDX-License-Identifier: Apache-2.0
#include "paged.hpp"

namespace inlay_bench {

std::function<Launch(int)> unpaged(const Tokens<bf16>& o) {
    return any(kernel<attend<128>>(o));
}
std::function<Launch(int)> two_tables(const PagedTokens& o) {
    return any([=](int i) {
        return inlay::prepare<paged_attend<4>>(o.y(i), o.q(i), o.pool(o.k_at[i]), o.pool(o.v_at[i]),
                                               o.table(o.k_table), o.table(o.v_table));
    });
}

}  // namespace inlay_bench
