// SPDX-License-Identifier: Apache-2.0
/// Q stays in registers as the dataflow of the fewest bytes has it, where there is room: of heads of 64 in 16 bits, not
/// of heads of 192, nor in fp32.
#include <inlay/tile/gpu/attention/tile.hpp>
#include <inlay/tile/gpu/matrix.hpp>

namespace {

using namespace inlay;

template <class T, int D>
constexpr bool keeps_queries = on_gpu::AttentionTile<T, on_gpu::Atom<T>, D, 1, 4, 1, 64, 2>::q_in_registers;
static_assert(keeps_queries<fp16, 64> && keeps_queries<bf16, 128> && !keeps_queries<fp16, 192> &&
              !keeps_queries<float, 64>);

}  // namespace
