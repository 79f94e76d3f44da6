// SPDX-License-Identifier: Apache-2.0
/// What both reductions share: how values are combined, how the blocks that share a result meet, how results leave.
#pragma once

#include <inlay/tile/cuda/chunk.hpp>
#include <inlay/tile/cuda/index.hpp>
#include <inlay/tile/cuda/launch.hpp>

namespace inlay::inline INLAY_ABI::cuda::detail {

inline constexpr int reduce_threads = 256;
/// Chunks of a thread that are under way at once.
inline constexpr int reduce_unroll = 4;

template <class Op>
struct Combine {
    template <class T>
    __device__ INLAY_INLINE T operator()(const T& a, const T& b) const {
        return Op::combine(a, b);
    }
};
template <class Op, int N>
__device__ INLAY_INLINE Vec<float, N> identity() {
    return Vec<float, N>(static_cast<float>(Op::identity));
}

/// Blocks that share a result leave partial ones, [result, part, value], and the last to arrive combines them in order.
struct Parts {
    int count = 1;
    index_t each = 0;  ///< elements (chunks, rows) of a part
    float* partial = nullptr;
    std::uint32_t* arrived = nullptr;
};

/// Which result and which of its parts this block computes, and which of `all` elements that part has.
struct Part {
    index_t result, begin, end;
    int index;

    __device__ Part(const Parts& parts, index_t all) {
        const unsigned count = static_cast<unsigned>(parts.count), r = blockIdx.x / count;
        result = r;
        index = static_cast<int>(blockIdx.x - r * count);
        begin = index * parts.each;
        end = all - begin < parts.each ? all : begin + parts.each;
    }
};

/// After the block's partial values are written: whether it is the last of its result, and may read those of the
/// others. All threads of the block call it.
__device__ INLAY_INLINE bool is_last_part(const Parts& parts, index_t result) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(parts.arrived + result, 1u) == static_cast<unsigned>(parts.count) - 1;
        if (last) parts.arrived[result] = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

/// Totals of n elements each through epilogue and sink, at coordinate c and further along the last axis.
template <class Op, int N, int R, class Epilogue, class Sink>
__device__ INLAY_INLINE void finish_totals(const Epilogue& epilogue, const Sink& sink, const Extents<R>& c, int lanes,
                                           double n, Vec<float, N> total) {
    total = Op::finish(total, n);
    write_chunk<N>(sink, c, lanes, read_chunk<N>(epilogue, c, lanes, &total));
}

template <int R>
__device__ INLAY_INLINE Extents<R> sum(Extents<R> a, const Extents<R>& b) {
    INLAY_UNROLL
    for (int i = 0; i < R; ++i) a[i] += b[i];
    return a;
}

/// Elements of 16 bytes of the widest leaf of an expression.
template <class Env, class Nodes>
inline constexpr int narrowest = 4;
template <class Env, class... Node>
inline constexpr int narrowest<Env, types<Node...>> = [] {
    int width = 0;
    ([&] {
        if constexpr (inlay::detail::is_buf<Node>) {
            constexpr int bytes = sizeof(typename at<Node::slot, typename Env::tensors>::value_type);
            width = bytes > width ? bytes : width;
        }
    }(), ...);
    return width == 0 ? 4 : width > 4 ? 2 : 16 / width;
}();
template <class In>
inline constexpr int leaf_lanes = narrowest<typename In::env_type, nodes_of<typename In::expression>>;

}  // namespace inlay::inline INLAY_ABI::cuda::detail
