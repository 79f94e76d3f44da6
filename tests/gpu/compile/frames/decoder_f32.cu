// SPDX-License-Identifier: Apache-2.0
// The launches and phases of `decoder.cu` in fp32: a weight has twice the registers, products no matrix unit.
#include <inlay/exec/cuda.hpp>
#include <inlay/plan/persistent/sizes.hpp>
#include <inlay/tile/cuda/persistent/decoder_phases.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

using OneText = persistent::SizesOf<persistent::Gpt2Small, 4>;
using SeveralTexts = persistent::InBatches<OneText>;
using Layer = DecoderLayer<float>;
template void decode_persistently<OneText>(Launcher&, DecoderArguments<float>, int);
template void decode_persistently<SeveralTexts>(Launcher&, DecoderArguments<float>, int);
template void decode_persistently<OneText>(Launcher&, SampledArguments<float>, int);
template void decode_persistently<OneText>(Launcher&, RestrictedArguments<float>, int);
template void decode_persistently<SeveralTexts>(Launcher&, RestrictedArguments<float>, int);
template void decode_by_phases<OneText>(Launcher&, DecoderArguments<float>, const Layer*, int);
template void decode_by_phases<SeveralTexts>(Launcher&, DecoderArguments<float>, const Layer*, int);
template void decode_by_phases<OneText>(Launcher&, SampledArguments<float>, const Layer*, int);
template void decode_by_phases<SeveralTexts>(Launcher&, SampledArguments<float>, const Layer*, int);
template void decode_by_phases<OneText>(Launcher&, RestrictedArguments<float>, const Layer*, int);
template void decode_by_phases<SeveralTexts>(Launcher&, RestrictedArguments<float>, const Layer*, int);

}  // namespace inlay::inline INLAY_ABI::on_gpu
