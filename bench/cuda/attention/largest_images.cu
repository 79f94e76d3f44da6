// SPDX-License-Identifier: Apache-2.0
#include "sd15.hpp"

namespace inlay_bench {

void largest_images(Bench& bench, const Shape& s) {
    using namespace inlay;
    sd15::attention<40>(bench, s);
    sd15::attention<40, mask::Full, bf16>(bench, s);
    sd15::attention<40, mask::Full, fp16, score::Base2>(bench, s);
    sd15::attention<40, mask::Full, bf16, score::Base2>(bench, s);
}

}  // namespace inlay_bench
