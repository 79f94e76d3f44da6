// SPDX-License-Identifier: Apache-2.0
/// Shared by all reductions: combining of values, meetings of blocks that share a result, stores of results.
#pragma once

#include <inlay/tile/gpu/block/arrival.hpp>
#include <inlay/tile/gpu/epilogue/chunk.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

inline constexpr int reduce_threads = 256;
/// Blocks on a multiprocessor, by the registers that they take. More blocks than run at once would only wait for each
/// other.
inline constexpr int reduce_blocks = 4;

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

/// Combines row[j] of every j that is `begin` plus a multiple of `apart` and below `end`, in this order; `AtOnce` of
/// them are under way together.
template <class Op, int N, int AtOnce, class Row, class I>
__device__ INLAY_INLINE Vec<float, N> combine_chunks(const Row& row, I begin, I end, I apart) {
    Vec<float, N> acc = identity<Op, N>(), x[AtOnce];
    I j = begin;
    for (; j + (AtOnce - 1) * apart < end; j += AtOnce * apart) {
        INLAY_UNROLL
        for (int k = 0; k < AtOnce; ++k) x[k] = row[j + k * apart];
        INLAY_UNROLL
        for (int k = 0; k < AtOnce; ++k) acc = Op::combine(acc, x[k]);
    }
    if (j >= end) return acc;
    // The rest: in place of absent elements the first one is read again and not combined.
    INLAY_UNROLL
    for (int k = 0; k < AtOnce - 1; ++k) x[k] = row[j + k * apart < end ? j + k * apart : j];
    INLAY_UNROLL
    for (int k = 0; k < AtOnce - 1; ++k)
        if (j + k * apart < end) acc = Op::combine(acc, x[k]);
    return acc;
}

/// N floats that another block wrote, not by way of this multiprocessor's cache, which may hold older values.
template <int N>
__device__ INLAY_INLINE Vec<float, N> load_partial(const float* p) {
    Vec<float, N> v;
    if constexpr (N % 4 == 0) {
        INLAY_UNROLL
        for (int i = 0; i < N; i += 4) {
            const float4 x = load_l2(reinterpret_cast<const float4*>(p + i));
            v.v[i] = x.x, v.v[i + 1] = x.y, v.v[i + 2] = x.z, v.v[i + 3] = x.w;
        }
    } else {
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) v.v[i] = load_l2(p + i);
    }
    return v;
}

/// Blocks that share a result leave partial ones, [result, part, value], and the last to arrive combines them in order.
struct Parts {
    int count = 1;
    index_t each = 0;  ///< elements (chunks, rows) of a block
    float* partial = nullptr;
    std::uint32_t* arrived = nullptr;
};

/// The result and the part of it that this block computes, and the range of `all` elements of that part.
struct Part {
    index_t result, begin, end;
    int index;

    __device__ Part(const Parts& parts, index_t all, unsigned block) {
        const auto count = static_cast<unsigned>(parts.count), r = block / count;
        result = r;
        index = static_cast<int>(block - r * count);
        begin = index * parts.each;
        end = all - begin < parts.each ? all : begin + parts.each;
    }
};

/// Called by all threads of a block after its partial values are written. True for the last block of a result, which
/// may read those of the others.
__device__ INLAY_INLINE bool is_last_part(const Parts& parts, index_t result) {
    return last_of(parts.arrived + result, parts.count);
}

/// Passes totals of n elements each through epilogue and sink, at coordinate c and further along the last axis.
template <class Op, int N, int R, class Epilogue, class Sink>
__device__ INLAY_INLINE void epilogue_totals(const Epilogue& epilogue, const Sink& sink, const Extents<R>& c, int lanes,
                                           double n, Vec<float, N> total) {
    total = Op::finish(total, n);
    store_epilogue<N>(epilogue, sink, c, lanes, &total);
}

template <int R>
__device__ INLAY_INLINE Extents<R> sum(Extents<R> a, const Extents<R>& b) {
    INLAY_UNROLL
    for (int i = 0; i < R; ++i) a[i] += b[i];
    return a;
}

/// Tensors that an expression reads.
template <class Nodes>
inline constexpr int tensors_in = 0;
template <class... Node>
inline constexpr int tensors_in<types<Node...>> = (static_cast<int>(inlay::detail::is_buf<Node>) + ... + 0);
/// Chunks of an expression that a thread has under way at once: those of one tensor take 32 registers.
template <class In>
inline constexpr int chunks_at_once = tensors_in<nodes_of<typename In::expression>> <= 1 ? 8 : 4;

/// Elements of 16 bytes of the widest leaf of an expression.
template <class Env, class Nodes>
inline constexpr int narrowest = 4;
template <class Env, class... Node>
inline constexpr int narrowest<Env, types<Node...>> = [] {
    int width = 0;
    ([&] {
        if constexpr (inlay::detail::is_buf<Node>) {
            constexpr int bytes = sizeof(typename type_at<Node::slot, typename Env::tensors>::value_type);
            width = bytes > width ? bytes : width;
        }
    }(), ...);
    return width == 0 ? 4 : width > 4 ? 2 : 16 / width;
}();
template <class In>
inline constexpr int leaf_lanes = narrowest<typename In::env_type, nodes_of<typename In::expression>>;

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
