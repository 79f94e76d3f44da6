// SPDX-License-Identifier: Apache-2.0
/// A chunk: up to N consecutive elements of a row, as a vector of floats in the registers of one thread. Here a bound
/// expression is read into a chunk, and a chunk leaves through a bound sink. A chunk that one run of every leaf covers
/// is one evaluation, whose leaves load 16 bytes at a time where they are aligned; else it is one evaluation per run.
#pragma once

#include <inlay/expr/eval.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/tile/cuda/vector.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// Reads lanes [first, first + run) of a chunk; the other lanes hold anything. Element 0 of the run is lane `first`.
template <int N>
struct ChunkReader {
    using scalar = float;
    using value = Vec<float, N>;
    int first, run;

    template <class T>
    __device__ INLAY_INLINE value load(const T* p, index_t step, index_t) const {
        if (step == 1 && run == N && is_aligned(p, vector_alignment<T, N>)) return load_vector<N>(p);
        if (step == 0) return value(to_float(*p));
        value v;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) {
            const int k = i - first;
            v.v[i] = k >= 0 && k < run ? to_float(p[k * step]) : 0.0f;
        }
        return v;
    }
    /// `Out`: the accumulators are a chunk already.
    __device__ INLAY_INLINE value load(const value* acc, index_t, index_t) const { return *acc; }
    __device__ INLAY_INLINE value iota(float start, float step) const {
        value v;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) v.v[i] = start + step * static_cast<float>(i - first);
        return v;
    }
};

/// n ≤ N values of a bound expression from coordinate c along its last axis; lanes from n on hold anything. `acc`: what
/// `Out` reads there.
template <int N, class B, int R>
__device__ INLAY_INLINE Vec<float, N> read_chunk(const B& bound, Extents<R> c, int n, const Vec<float, N>* acc = nullptr) {
    static_assert(R >= 1, "inlay: a kernel's result has at least one axis");
    CursorsOf<typename B::expression, B, Vec<float, N>> cursors;
    Vec<float, N> v;
    for (int done = 0; done < n;) {
        Walk<R> w{c, R - 1, n - done};
        cursors.place(bound, w, acc);
        const int run = static_cast<int>(w.run);
        const Vec<float, N> part = cursors.eval(bound, ChunkReader<N>{done, run}, 0);
        if (run == n) return part;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) v.v[i] = i >= done ? part.v[i] : v.v[i];
        done += run;
        c.back(0) += run;
    }
    return v;
}

namespace detail {

/// What a bound sink calls for each run of a chunk.
template <int N>
struct StoreRun {
    const Vec<float, N>& v;

    template <class T>
    __device__ INLAY_INLINE void operator()(T* p, index_t step, index_t first, index_t run) const {
        if (step == 1 && run == N && is_aligned(p, vector_alignment<T, N>)) return store_vector<N>(p, v);
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) {
            const int k = i - static_cast<int>(first);
            if (k >= 0 && k < run) p[k * step] = from_float<T>(v.v[i]);
        }
    }
};

}  // namespace detail

/// The first n ≤ N lanes through a bound sink, to coordinate c of the result and further along its last axis.
template <int N, class Sink, int R>
__device__ INLAY_INLINE void write_chunk(const Sink& sink, const Extents<R>& c, int n, const Vec<float, N>& v) {
    sink.row(c, n, detail::StoreRun<N>{v});
}

}  // namespace inlay::inline INLAY_ABI::cuda
