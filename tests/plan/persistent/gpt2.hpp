// SPDX-License-Identifier: Apache-2.0
/// The decoder of a GPT-2 124M, for tests of its program.
#pragma once

#include <inlay/plan/persistent/decoder.hpp>

namespace inlay_test {

struct Sizes {
    static constexpr int width = 768, heads = 12, inner = 3072, vocabulary = 50257, parts = 4, element_bytes = 4,
                         part_bytes = 4, copies = 4, winner_bytes = 4096, batch = 1;
};
using Gpt2 = inlay::persistent::Decoder<Sizes>;

}  // namespace inlay_test
