// SPDX-License-Identifier: Apache-2.0
/// Attention, with and without a mask.
#include "run_frame.hpp"

using namespace inlay;

namespace {

struct attend : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};
struct attend_causal : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal> {};

}  // namespace

extern "C" {

bool attention(fp16* y, fp16* q, fp16* k, fp16* v, int h, int queries, int keys) {
    return outside::runs<attend>(tensor(y, 1, h, queries, 40), tensor(q, 1, h, queries, 40), tensor(k, 1, h, keys, 40),
                                 tensor(v, 1, h, keys, 40));
}
bool attention_causal(fp16* y, fp16* q, fp16* k, fp16* v, int h, int queries, int keys) {
    return outside::runs<attend_causal>(tensor(y, 1, h, queries, 64), tensor(q, 1, h, queries, 64),
                                        tensor(k, 1, h, keys, 64), tensor(v, 1, h, keys, 64));
}

}
