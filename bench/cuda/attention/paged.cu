// SPDX-License-Identifier: Apache-2.0
/// Decode over a cache in pages that lie in no order, beside the same cache without pages. `paged_tables` has a table
/// of its own for values, in `paged_shared` each page of the first half of a sequence belongs to two of them.
#include "paged.hpp"

#include <algorithm>
#include <random>

namespace inlay_bench {

namespace {

using inlay::DType;

enum class Tables { one, two, shared };

/// The pages of each sequence, [B, keys / page]: every page of the pool once, in random order.
std::vector<std::int32_t> table_of(index_t batch, index_t pages, bool shared, unsigned seed) {
    std::vector<std::int32_t> t(static_cast<std::size_t>(batch * pages));
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = static_cast<std::int32_t>(i);
    std::shuffle(t.begin(), t.end(), std::mt19937(seed));
    for (index_t b = 1; shared && b < batch; b += 2)
        std::copy_n(t.begin() + (b - 1) * pages, pages / 2, t.begin() + b * pages);
    return t;
}

void paged(Bench& bench, index_t key_heads, index_t page, Tables tables) {
    const Sizes s{64, 32, key_heads, 1, 2048, 128};
    const char* const kind = tables == Tables::one ? "paged" : tables == Tables::two ? "paged_tables" : "paged_shared";
    bench.run(row_name(kind + std::to_string(page), s, DType::bf16), [&](Case& c) {
        const Tokens<bf16> plain(c, s);
        const std::int32_t* const k_table =
            c.constant(table_of(s.batch, s.keys / page, tables == Tables::shared, 1));
        const std::int32_t* const v_table =
            tables == Tables::two ? c.constant(table_of(s.batch, s.keys / page, false, 2)) : k_table;
        const PagedTokens o{plain, page, k_table, v_table};
        c.bytes(4.0 * static_cast<double>(s.batch * key_heads * s.keys * s.d));
        const auto one_table = any([=](int i) {
            return inlay::prepare<paged_attend<3>>(o.y(i), o.q(i), o.pool(o.k_at[i]), o.pool(o.v_at[i]),
                                                   o.table(o.k_table));
        });
        const auto make = tables == Tables::two ? two_tables(o) : one_table;
        make(0).run(gpu(bench));
        const RowData<bf16> data{o.q_at[0], o.k_at[0], o.v_at[0], o.y_at[0], page, k_table, v_table};
        c.number("fp64_l2", checked(c, bench.stream(), s, data, FullRule(s.d)));
        c.ours(make);
        c.time("unpaged_us", unpaged(o));
        c.measure();
        c.number("of_unpaged", c.us("unpaged_us") / c.us());
    });
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention_paged", argc, argv);
    for (const index_t key_heads : {32, 4}) {
        for (const index_t page : {1, 16, 64}) paged(bench, key_heads, page, Tables::one);
        paged(bench, key_heads, 16, Tables::two);
        paged(bench, key_heads, 16, Tables::shared);
    }
    return bench.finish();
}
