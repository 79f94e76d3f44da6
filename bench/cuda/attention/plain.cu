// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace inlay_bench {

std::function<Launch(int)> causal(const Tokens<bf16>& o) {
    return any(kernel<attend<128, inlay::mask::Causal>>(o));
}

}  // namespace inlay_bench
