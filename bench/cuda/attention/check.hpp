// SPDX-License-Identifier: Apache-2.0
/// Some rows of a result beside the same rows in double, computed score by score.
#pragma once

#include "../target.hpp"
#include "rules.hpp"

#include <cmath>
#include <vector>

namespace inlay_bench {

/// The operands of one launch. With tables, keys and values lie in pages of `page` keys, which row b of a table names.
template <class T, class Cached = T>
struct RowData {
    const T* q;
    const Cached *k, *v;
    const T* y;
    index_t page = 1;
    const std::int32_t *k_table = nullptr, *v_table = nullptr;
    index_t v_stride = 0;       ///< elements from one row of values to the next, 0: dv
    const float* v_scales = nullptr;        ///< of each key head
};

namespace detail {

constexpr int checked_rows = 48, check_threads = 256;

/// Rows spread over all batches, heads and queries.
__host__ __device__ inline index_t checked_row(int i, index_t rows) {
    const std::uint64_t hash = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ull;
    return static_cast<index_t>(hash % static_cast<std::uint64_t>(rows));
}
__device__ inline double sum_of_block(double x, double* shared) {
    shared[threadIdx.x] = x;
    __syncthreads();
    for (int n = check_threads / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) shared[threadIdx.x] += shared[threadIdx.x + n];
        __syncthreads();
    }
    const double sum = shared[0];
    __syncthreads();
    return sum;
}
__device__ inline double greatest_of_block(double x, double* shared) {
    shared[threadIdx.x] = x;
    __syncthreads();
    for (int n = check_threads / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) shared[threadIdx.x] = fmax(shared[threadIdx.x], shared[threadIdx.x + n]);
        __syncthreads();
    }
    const double top = shared[0];
    __syncthreads();
    return top;
}

/// A block for each checked row. weights: [checked_rows, keys]; expected: [checked_rows, dv].
template <class T, class Cached, class Rule>
__global__ void reference_rows(Sizes s, RowData<T, Cached> data, Rule rule, double* weights, double* expected) {
    __shared__ double shared[check_threads];
    const index_t row = checked_row(static_cast<int>(blockIdx.x), s.batch * s.heads * s.queries);
    const index_t h = row % s.heads, q = row / s.heads % s.queries, b = row / s.heads / s.queries;
    const index_t key_head = h / (s.heads / s.key_heads), position = q + s.keys - s.queries;
    const auto key_row = [&](const std::int32_t* table, index_t key) {
        const index_t pages = s.keys / data.page;
        const index_t at = table ? table[b * pages + key / data.page] * data.page + key % data.page : b * s.keys + key;
        return at * s.key_heads + key_head;
    };
    double* const w = weights + blockIdx.x * s.keys;
    double top = -INFINITY;
    for (index_t key = threadIdx.x; key < s.keys; key += check_threads) {
        double x = -INFINITY;
        if (rule.visible(b, position, key)) {
            const T* const q_row = data.q + row * s.d;
            const Cached* const k_row = data.k + key_row(data.k_table, key) * s.d;
            double product = 0;
            if constexpr (requires { rule.product(q_row, k_row, position, key); }) {
                product = rule.product(q_row, k_row, position, key);
            } else {
                for (index_t i = 0; i < s.d; ++i)
                    product += static_cast<double>(static_cast<float>(q_row[i])) *
                               static_cast<double>(static_cast<float>(k_row[i]));
            }
            x = rule.score(product, b, h, position, key);
        }
        w[key] = x;
        top = fmax(top, x);
    }
    top = greatest_of_block(top, shared);
    if (rule.row == RowKind::sink) top = fmax(top, static_cast<double>(rule.sinks[h]));
    double sum = 0;
    for (index_t key = threadIdx.x; key < s.keys; key += check_threads) {
        const double x = w[key];
        const bool hidden = x == -INFINITY;
        w[key] = hidden                         ? 0
                 : rule.row == RowKind::linear  ? x
                 : rule.row == RowKind::sigmoid ? 1 / (1 + exp(-x))
                                                : exp(x - top);
        sum += w[key];
    }
    sum = sum_of_block(sum, shared);
    if (rule.row == RowKind::plus_one) sum += exp(-top);
    if (rule.row == RowKind::sink) sum += exp(static_cast<double>(rule.sinks[h]) - top);
    if (rule.row == RowKind::linear || rule.row == RowKind::sigmoid) sum = 1;
    const index_t stride = data.v_stride ? data.v_stride : s.dv;
    for (index_t i = threadIdx.x; i < s.dv; i += check_threads) {
        double y = 0;
        for (index_t key = 0; key < s.keys; ++key)
            if (w[key] != 0)
                y += w[key] * static_cast<double>(static_cast<float>(data.v[key_row(data.v_table, key) * stride + i]));
        expected[blockIdx.x * s.dv + i] =
            y / sum * (data.v_scales ? static_cast<double>(data.v_scales[key_head]) : 1.0);
    }
}

}  // namespace detail

/// Relative L2 distance of the checked rows from double. One that no rounding explains marks the row as wrong.
template <class T, class Cached, class Rule>
double checked(Case& c, cudaStream_t stream, const Sizes& s, const RowData<T, Cached>& data, const Rule& rule) {
    using inlay::on_gpu::check;
    constexpr index_t n = detail::checked_rows;
    const inlay::DeviceMemory memory(sizeof(double) * static_cast<std::size_t>(n * (s.keys + s.dv)));
    double* const weights = static_cast<double*>(memory.data());
    double* const expected = weights + n * s.keys;
    detail::reference_rows<<<n, detail::check_threads, 0, stream>>>(s, data, rule, weights, expected);
    check(cudaGetLastError(), "reference_rows");
    std::vector<double> right(static_cast<std::size_t>(n * s.dv));
    check(cudaMemcpyAsync(right.data(), expected, sizeof(double) * right.size(), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    std::vector<T> row(static_cast<std::size_t>(s.dv));
    double difference = 0, squared = 0;
    for (int r = 0; r < n; ++r) {
        const index_t at = detail::checked_row(r, s.batch * s.heads * s.queries);
        check(cudaMemcpyAsync(row.data(), data.y + at * s.dv, sizeof(T) * row.size(), cudaMemcpyDeviceToHost, stream),
              "cudaMemcpyAsync");
        check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double x = static_cast<double>(static_cast<float>(row[i]));
            const double y = right[static_cast<std::size_t>(r * s.dv) + i];
            difference += (x - y) * (x - y);
            squared += y * y;
        }
    }
    const double error = std::sqrt(difference / squared);
    if (!(error <= (inlay::dtype_of<T> == inlay::DType::bf16 ? 2e-2 : 3e-3)))
        c.text("wrong", "relative L2 distance " + std::to_string(error) + " from double");
    return error;
}

}  // namespace inlay_bench
