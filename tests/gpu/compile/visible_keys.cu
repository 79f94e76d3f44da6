// SPDX-License-Identifier: Apache-2.0
/// Blocks of visible keys in device code: bounds of types alone, and of ids that are searched.
#include <inlay/exec/tensor.hpp>
#include <inlay/plan/attention/visible_keys.hpp>

using namespace inlay;

template <class Condition, class Environment>
__global__ void blocks(int* out, Environment env) {
    const index_t first = static_cast<index_t>(blockIdx.x) * 128;
    const auto blocks = key_blocks<Condition>(env, {0, 0, 1, first, first + 128}, 64);
    for (int i = 0; i < blocks.count(); ++i) {
        const int block = blocks.block(i);
        out[block] = blocks.masked(block) ? 1 : 2;
    }
}

using Causal = LessEqual<Coord<3>, QueryPosition>;
using Window = Less<Sub<QueryPosition, Coord<3>>, Const<1024>>;
using Ids = Tensor<const int, 4>;
template __global__ void blocks<Causal>(int*, Env<4, 0>);
template __global__ void blocks<And<Causal, Or<Less<Coord<3>, Param<0>>, Window>>>(int*, Env<4, 1>);
template __global__ void blocks<And<Causal, Equal<Buf<0>, Ascending<Buf<1>>>>>(int*, Env<4, 0, Ids, Ids>);
template __global__ void blocks<Not<Equal<Floor<Div<Coord<3>, Const<64>>>, Coord<1>>>>(int*, Env<4, 0>);
