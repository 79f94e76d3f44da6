// SPDX-License-Identifier: Apache-2.0
// expect: inlay: StoredAs names a storage type of another size or a stricter alignment
#include <inlay/exec/tensor.hpp>

struct Wide {
    float value;
};
template <> struct inlay::StoredAs<Wide> { using type = inlay::fp16; };

void wrong(Wide* p) { inlay::tensor(p, 2); }
