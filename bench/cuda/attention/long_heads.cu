// SPDX-License-Identifier: Apache-2.0
#include "lengths.hpp"

namespace inlay_bench {

void long_heads(Bench& bench) {
    by_length<128>(bench);
    by_length<256>(bench);
}

}  // namespace inlay_bench
