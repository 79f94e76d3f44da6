// SPDX-License-Identifier: Apache-2.0
/// Shared by all reductions: combining of values, meetings of blocks that share a result, stores of results.
#pragma once

#include <inlay/plan/reduce/decide.hpp>
#include <inlay/tile/gpu/block/arrival.hpp>
#include <inlay/tile/gpu/epilogue/chunk.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

inline constexpr int reduce_threads = ReduceDecision::threads, reduce_blocks = ReduceDecision::resident;

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

    /// As decided, with `values` floats of workspace a tile and part; its tiles are results, or share one.
    Parts(Launcher& l, const ReduceDecision& d, index_t tiles, int values) : count(d.parts), each(d.each) {
        if (count == 1) return;
        partial = static_cast<float*>(l.workspace(sizeof(float) * static_cast<std::size_t>(tiles * count * values)));
        arrived = l.semaphores(static_cast<std::size_t>(tiles));
    }
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

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
