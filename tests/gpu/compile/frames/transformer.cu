// SPDX-License-Identifier: Apache-2.0
// The persistent launches of a spatial transformer, of heads of 40, 80 and 160 elements: eight bodies share one
// kernel's registers.
#include <inlay/exec/cuda.hpp>
#include <inlay/exec/cuda/transformer.hpp>

namespace inlay::inline INLAY_ABI {

template class PersistentTransformer<fp16>;

}  // namespace inlay::inline INLAY_ABI
