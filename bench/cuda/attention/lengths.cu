// SPDX-License-Identifier: Apache-2.0
/// Causal attention in bf16 by length and head dimension, 16384 tokens in all. Peers come from
/// bench/attention_torch.py; names are those of bench/cuda/attention.cu.
#include "lengths.hpp"

int main(int argc, char** argv) {
    inlay_bench::Bench bench("attention_lengths", argc, argv);
    inlay_bench::by_length<64>(bench);
    inlay_bench::by_length<96>(bench);
    inlay_bench::long_heads(bench);
    return bench.finish();
}
