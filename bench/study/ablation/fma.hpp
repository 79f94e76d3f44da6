// SPDX-License-Identifier: Apache-2.0
/// A target without matrix units: products and attention by fused multiply-adds of fp32. Its two kernels are the
/// study's own, since the library multiplies fp32 by matrix units too: tiles of 64×64 in shared memory, 128 threads of
/// 4×8 sums each, reads of 16 bytes, the next tiles of a product in registers meanwhile, softmax online. All else is
/// the library's.
#pragma once

#include "programs.hpp"

namespace inlay_study {

constexpr int fma_tile = 64, fma_step = 16, fma_threads = 128, fma_rows = 4, fma_columns = 8, fma_pitch = fma_tile + 4;

/// The first row of a thread's sums. Its columns are four from `fma_column` on, and four half a tile further.
__device__ INLAY_INLINE int fma_row() { return static_cast<int>(threadIdx.x) / 8 * fma_rows; }
__device__ INLAY_INLINE int fma_column() { return static_cast<int>(threadIdx.x) % 8 * 4; }

/// sums[4][8] += the outer product of a column of A and a row of B, both in shared memory.
__device__ INLAY_INLINE void fma_outer(float (&sums)[fma_rows][fma_columns], const float* a, const float* b) {
    const float4 x = *reinterpret_cast<const float4*>(a + fma_row());
    const float4 y = *reinterpret_cast<const float4*>(b + fma_column());
    const float4 z = *reinterpret_cast<const float4*>(b + fma_column() + fma_tile / 2);
    const float rows[] = {x.x, x.y, x.z, x.w}, columns[] = {y.x, y.y, y.z, y.w, z.x, z.y, z.z, z.w};
#pragma unroll
    for (int i = 0; i < fma_rows; ++i)
#pragma unroll
        for (int j = 0; j < fma_columns; ++j) sums[i][j] = fmaf(rows[i], columns[j], sums[i][j]);
}
/// Eight elements to the same column of eight rows in shared memory.
template <int Pitch>
__device__ INLAY_INLINE void store_column(float* to, const Vec<float, 8>& v) {
#pragma unroll
    for (int i = 0; i < 8; ++i) to[i * Pitch] = v.v[i];
}
/// Four sums of a row, half `half` of them.
__device__ INLAY_INLINE Vec<float, 4> fma_four(const float (&row)[fma_columns], int half) {
    Vec<float, 4> v;
#pragma unroll
    for (int j = 0; j < 4; ++j) v.v[j] = row[4 * half + j];
    return v;
}

template <class In, class Rows, class Epilogue, class Sink, class Place>
__global__ void __launch_bounds__(fma_threads)
    fma_product(int m_tiles, int k, const fp16* w, const __grid_constant__ In in, const __grid_constant__ Rows rows,
                const __grid_constant__ Epilogue epilogue, const __grid_constant__ Sink sink,
                const __grid_constant__ Place place) {
    __shared__ __align__(16) float a[2][fma_step][fma_pitch], b[2][fma_step][fma_pitch];
    const int block = static_cast<int>(blockIdx.x), t = static_cast<int>(threadIdx.x), row = t % fma_tile,
              part = t / fma_tile * 8, m0 = block % m_tiles * fma_tile, n0 = block / m_tiles * fma_tile;
    auto at = rows.row(0, m0 + row);
    const fp16* const weights = w + static_cast<index_t>(n0 + row) * k + part;
    Vec<float, 8> next_a, next_b;
    const auto load = [&](int kk) {
        at.back(0) = kk + part;
        next_a = on_gpu::read_chunk<8>(in, at, 8);
        next_b = on_gpu::load_vector<8>(weights + kk);
    };
    const auto store = [&](int stage) {
        store_column<fma_pitch>(&a[stage][part][row], next_a);
        store_column<fma_pitch>(&b[stage][part][row], next_b);
    };
    float sums[fma_rows][fma_columns] = {};
    load(0);
    store(0);
    on_gpu::block_sync();
    for (int kk = 0, stage = 0; kk < k; kk += fma_step, stage ^= 1) {
        const bool more = kk + fma_step < k;
        if (more) load(kk + fma_step);
#pragma unroll
        for (int i = 0; i < fma_step; ++i) fma_outer(sums, a[stage][i], b[stage][i]);
        if (more) store(stage ^ 1);
        on_gpu::block_sync();
    }
#pragma unroll
    for (int i = 0; i < fma_rows; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            auto c = place(0, m0 + fma_row() + i);
            c.back(0) = n0 + fma_column() + half * (fma_tile / 2);
            const Vec<float, 4> v = fma_four(sums[i], half);
            on_gpu::write_chunk<4>(sink, c, 4, on_gpu::read_chunk<4>(epilogue, c, 4, &v));
        }
}

/// Causal attention of heads of 64 elements, as many keys as queries, softmax online. A block has 64 queries of a head.
template <class Q, class K, class V, class Sink>
__global__ void __launch_bounds__(fma_threads)
    fma_attention(int tiles, float scale, const __grid_constant__ Q q, const __grid_constant__ K k,
                  const __grid_constant__ V v, const __grid_constant__ Sink sink) {
    // Q and K as [element][token], later the weights of keys as [key][query]; V as [key][element].
    __shared__ __align__(16) float queries[fma_tile][fma_tile], keys[fma_tile][fma_tile], values[fma_tile][fma_tile];
    const int h = static_cast<int>(blockIdx.x) / tiles, tile = tiles - 1 - static_cast<int>(blockIdx.x) % tiles,
              t = static_cast<int>(threadIdx.x), token = t % fma_tile;
    const auto load = [&](const auto& from, int tile_of, auto&& keep) {
        for (int part = t / fma_tile * 8; part < fma_tile; part += 16)
            keep(part, on_gpu::read_chunk<8>(from, Extents<4>{{0, h, tile_of * fma_tile + token, part}}, 8));
    };
    load(q, tile, [&](int part, const Vec<float, 8>& x) { store_column<fma_tile>(&queries[part][token], x); });
    float most[fma_rows], total[fma_rows] = {}, out[fma_rows][fma_columns] = {};
#pragma unroll
    for (int i = 0; i < fma_rows; ++i) most[i] = -1e30f;
    for (int block = 0; block <= tile; ++block) {
        load(k, block, [&](int part, const Vec<float, 8>& x) { store_column<fma_tile>(&keys[part][token], x); });
        load(v, block, [&](int part, const Vec<float, 8>& x) { store_column<1>(&values[token][part], x); });
        on_gpu::block_sync();
        float s[fma_rows][fma_columns] = {};
#pragma unroll 8
        for (int i = 0; i < fma_tile; ++i) fma_outer(s, queries[i], keys[i]);
        on_gpu::block_sync();  // the keys are read by all
#pragma unroll
        for (int i = 0; i < fma_rows; ++i) {
            float top = most[i];
#pragma unroll
            for (int j = 0; j < fma_columns; ++j) {
                const int key = fma_column() + j % 4 + j / 4 * (fma_tile / 2);
                s[i][j] = block == tile && key > fma_row() + i ? -1e30f : s[i][j] * scale;
                top = fmaxf(top, s[i][j]);
            }
#pragma unroll
            for (int by = 1; by < 8; by *= 2) top = fmaxf(top, on_gpu::shuffle_xor(top, by));
            const float rescale = exp2f(most[i] - top);
            most[i] = top;
            total[i] *= rescale;
#pragma unroll
            for (int j = 0; j < fma_columns; ++j) {
                out[i][j] *= rescale;
                s[i][j] = exp2f(s[i][j] - top);
                total[i] += s[i][j];
            }
        }
#pragma unroll
        for (int j = 0; j < fma_columns; ++j)
            *reinterpret_cast<float4*>(&keys[fma_column() + j % 4 + j / 4 * (fma_tile / 2)][fma_row()]) =
                float4{s[0][j], s[1][j], s[2][j], s[3][j]};
        on_gpu::block_sync();
#pragma unroll 8
        for (int key = 0; key < fma_tile; ++key) fma_outer(out, keys[key], values[key]);
        on_gpu::block_sync();
    }
#pragma unroll
    for (int i = 0; i < fma_rows; ++i) {
        float all = total[i];
#pragma unroll
        for (int by = 1; by < 8; by *= 2) all += on_gpu::shuffle_xor(all, by);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            Vec<float, 4> x = fma_four(out[i], half);
#pragma unroll
            for (int j = 0; j < 4; ++j) x.v[j] /= all;
            const index_t column = fma_column() + half * (fma_tile / 2);
            on_gpu::write_chunk<4>(sink, Extents<4>{{0, h, tile * fma_tile + fma_row() + i, column}}, 4, x);
        }
    }
}

struct WithoutMatrixUnits {
    Cuda& gpu;

    template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        require(s.batch == 1 && s.segments == 1 && s.m % fma_tile == 0 && s.n % fma_tile == 0 && s.k % fma_step == 0,
                "the study's product has whole tiles");
        const int m_tiles = static_cast<int>(s.m / fma_tile);
        gpu.launcher().launch({.blocks = m_tiles * (s.n / fma_tile), .threads = fma_threads},
                              fma_product<In, Rows, Epilogue, Sink, Place>, m_tiles, static_cast<int>(s.k), w.data, in,
                              rows, epilogue, sink, place);
    }
    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores&, const Epilogue&,
                   const Sink& sink) {
        static_assert(std::is_same_v<Form, typename attend::form>);
        require(s.batch == 1 && s.group == 1 && s.queries == s.keys && s.keys % fma_tile == 0,
                "the study's attention has whole tiles");
        const int tiles = static_cast<int>(s.queries / fma_tile);
        gpu.launcher().launch({.blocks = s.heads * tiles, .threads = fma_threads}, fma_attention<Q, K, V, Sink>, tiles,
                              1.4426950408889634f / std::sqrt(static_cast<float>(Form::d)), q, k, v, sink);
    }
    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        gpu.rows(e, in, op, epilogue, sink);
    }
    template <class Sink>
    void publish_stats(const Sink&) {}
};

}  // namespace inlay_study
