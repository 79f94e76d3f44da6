// SPDX-License-Identifier: Apache-2.0
/// Decode over a cache in fp8 (e4m3) with a scale for each key head, beside the same over one in bf16. Bytes are those
/// of the fp8 cache.
#include "case.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

struct fp8_attend : Attention<128, Heads<0>, Mul<Heads<1>, Buf<3>>, Mul<Heads<2>, Buf<4>>,
                              Permuted<Store<0>, 0, 2, 1, 3>> {};

struct ScaledRule : FullRule {
    const float* k_scales;
    index_t group;
    ScaledRule(index_t d, const float* of_keys, index_t queries_of_a_head)
        : FullRule(d), k_scales(of_keys), group(queries_of_a_head) {}
    __host__ __device__ double score(double product, index_t, index_t h, index_t, index_t) const {
        return product * scale * static_cast<double>(k_scales[h / group]);
    }
};

void decode(Bench& bench, index_t key_heads) {
    const Sizes s{64, 32, key_heads, 1, 2048, 128};
    bench.run(row_name("decode_fp8", s, DType::bf16), [&](Case& c) {
        const index_t n = s.batch * s.keys * key_heads * s.d;
        const auto k = c.input<fp8>(n), v = c.input<fp8>(n);
        const Tokens<bf16> o(c, s);
        std::vector<float> of_k, of_v;
        for (index_t h = 0; h < key_heads; ++h) {
            of_k.push_back(0.75f + 0.5f * static_cast<float>(h) / static_cast<float>(key_heads));
            of_v.push_back(2.0f - of_k.back());
        }
        const float *const k_scales = c.constant(of_k), *const v_scales = c.constant(of_v);
        c.bytes(2.0 * static_cast<double>(n));
        const auto make = [=](int i) {
            const auto cache = [&](const fp8* p) { return tensor(p, s.batch, s.keys, key_heads, s.d); };
            const auto scales = [&](const float* p) { return tensor(p, key_heads, 1, 1); };
            return prepare<fp8_attend>(o.y(i), o.q(i), cache(k[i]), cache(v[i]), scales(k_scales), scales(v_scales));
        };
        make(0).run(gpu(bench));
        RowData<bf16, fp8> data{o.q_at[0], k[0], v[0], o.y_at[0]};
        data.v_scales = v_scales;
        c.number("fp64_l2", checked(c, bench.stream(), s, data, ScaledRule(s.d, k_scales, s.heads / key_heads)));
        c.ours(make);
        c.time("bf16_us", kernel<attend<128>>(o));
        c.measure();
        c.number("of_bf16", c.us("bf16_us") / c.us());
    });
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention_fp8", argc, argv);
    for (const index_t key_heads : {32, 8, 4}) decode(bench, key_heads);
    return bench.finish();
}
