// SPDX-License-Identifier: Apache-2.0
// A spatial transformer in one launch, whose tasks are bodies of many registers in one kernel. Heads of 160: those of
// the two levels with few pixels.
#include <inlay/exec/cuda/transformer.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

using Types = TransformerTypes<fp16, 160>;
void launch_transformer(Launcher& l, const Types::Arguments& a) { l.launch<Types::Body>({}, a); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
