// SPDX-License-Identifier: Apache-2.0
/// Multi-head latent attention, absorbed: 128 query heads share one key head of 576, whose first 512 columns are the
/// values. Bytes are those of the cache, once.
#include "case.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

struct latent_attend : Attention<576, Heads<0>, Heads<1>, Slice<Heads<1>, -1, 0, 512>, ValueColumns<512>,
                                 Permuted<Store<0>, 0, 2, 1, 3>> {};

void mla(Bench& bench, const Sizes& s) {
    bench.run(row_name("mla", s, DType::bf16), [&](Case& c) {
        const auto q = c.input<bf16>(s.batch * s.heads * s.d), kv = c.input<bf16>(s.batch * s.keys * s.d);
        const auto y = c.output<bf16>(s.batch * s.heads * s.dv);
        c.bytes(2.0 * static_cast<double>(s.batch * s.keys * s.d));
        c.flops(2.0 * static_cast<double>(s.batch * s.heads * s.keys) * static_cast<double>(s.d + s.dv));
        const auto make = [=](int i) {
            return prepare<latent_attend>(tensor(y[i], s.batch, 1, s.heads, s.dv),
                                          tensor(q[i], s.batch, 1, s.heads, s.d),
                                          tensor(kv[i], s.batch, s.keys, 1, s.d));
        };
        make(0).run(gpu(bench));
        RowData<bf16> data{q[0], kv[0], kv[0], y[0]};
        data.v_stride = s.d;
        c.number("fp64_l2", checked(c, bench.stream(), s, data, FullRule(s.d)));
        c.ours(make);
    });
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention_mla", argc, argv);
    mla(bench, {64, 128, 1, 1, 4096, 576, 512});
    return bench.finish();
}
