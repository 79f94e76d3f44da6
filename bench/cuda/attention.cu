// SPDX-License-Identifier: Apache-2.0
/// Attention of SD1.5, and long rows of a language model's, beside cuDNN; PyTorch's flash and memory-efficient kernels
/// join in bench/compare.py, and with a causal mask its cuDNN. Queries, keys and values lie as [B, S, H, D], as
/// diffusers' do, and so does the result. base2: a softmax of powers of two, of queries as the UNet's projections make
/// them; peers compute the same, with ln 2 for a scale.
#include "attention/sd15.hpp"

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention", argc, argv);
    for (const Shape& s : bench.shapes("attn")) {
        switch (s.key[4]) {
            case 40: largest_images(bench, s); break;
            case 64: sd15::attention<64, inlay::mask::Causal>(bench, s); break;
            case 80: sd15::attention<80>(bench, s); break;
            case 160: sd15::attention<160>(bench, s); break;
            case 512: sd15::attention<512>(bench, s); break;
        }
    }
    language_rows(bench);
    return bench.finish();
}
