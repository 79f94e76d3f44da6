// SPDX-License-Identifier: Apache-2.0
/// One query a head over a cache of keys and values [B, S, key heads, 128], beside cuDNN. Bytes are those of the cache.
#include "case.hpp"

namespace inlay_bench {

namespace {

template <class T>
void decode(Bench& bench, index_t batch, index_t key_heads, index_t keys) {
    const Sizes s{batch, 32, key_heads, 1, keys, 128};
    bench.run(row_name("decode", s, inlay::dtype_of<T>), [&](Case& c) {
        const Tokens<T> o(c, s);
        c.bytes(2.0 * sizeof(T) * static_cast<double>(batch * key_heads * keys * s.d));
        ours(bench, c, o, FullRule(s.d), kernel<attend<128>>(o));
        c.peer("cuDNN", cudnn(Scores{batch, s.heads, 1, keys, s.d, inlay::dtype_of<T>, false, key_heads},
                              bench.plans()));
    });
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention_decode", argc, argv);
    for (const index_t key_heads : {32, 8, 4}) {
        decode<bf16>(bench, 64, key_heads, 2048);
        decode<fp16>(bench, 64, key_heads, 2048);
    }
    for (index_t keys = 1024; keys <= 131072; keys *= 2) decode<bf16>(bench, 1, 4, keys);
    for (const index_t keys : {4096, 131072}) decode<bf16>(bench, 1, 8, keys);
    return bench.finish();
}
