// SPDX-License-Identifier: Apache-2.0
// The persistent launches of GPT-2's token, greedy, of one sequence and of several, sampled and restricted, which have
// few registers a thread: 17 warps share a multiprocessor's. By phases they have half of them.
#include <inlay/exec/cuda.hpp>
#include <inlay/plan/persistent/sizes.hpp>
#include <inlay/tile/cuda/persistent/decoder_phases.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template void decode_persistently<persistent::Gpt2Small>(Launcher&, DecoderArguments<fp16>, int);
template void decode_persistently<persistent::InBatches<persistent::Gpt2Small>>(Launcher&, DecoderArguments<fp16>, int);
template void decode_persistently<persistent::Gpt2Small>(Launcher&, SampledArguments<fp16>, int);
template void decode_persistently<persistent::Gpt2Small>(Launcher&, RestrictedArguments<fp16>, int);
template void decode_persistently<persistent::InBatches<persistent::Gpt2Small>>(Launcher&, RestrictedArguments<fp16>,
                                                                                 int);
using Layer = DecoderLayer<fp16>;
using SeveralTexts = persistent::InBatches<persistent::Gpt2Small>;
template void decode_by_phases<persistent::Gpt2Small>(Launcher&, DecoderArguments<fp16>, const Layer*, int);
template void decode_by_phases<SeveralTexts>(Launcher&, DecoderArguments<fp16>, const Layer*, int);
template void decode_by_phases<persistent::Gpt2Small>(Launcher&, SampledArguments<fp16>, const Layer*, int);
template void decode_by_phases<SeveralTexts>(Launcher&, SampledArguments<fp16>, const Layer*, int);
template void decode_by_phases<persistent::Gpt2Small>(Launcher&, RestrictedArguments<fp16>, const Layer*, int);
template void decode_by_phases<SeveralTexts>(Launcher&, RestrictedArguments<fp16>, const Layer*, int);

}  // namespace inlay::inline INLAY_ABI::on_gpu
