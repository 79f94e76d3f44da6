// SPDX-License-Identifier: Apache-2.0
/// CUB's reductions as peers.
#include "peers.hpp"

#include <inlay/core/error.hpp>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <iterator>

namespace inlay_bench {

namespace {

void check(cudaError_t e) {
    inlay::require(e == cudaSuccess, "CUB: ", cudaGetErrorString(e));
}

/// The begins of rows of n.
struct RowOffsets {
    using value_type = index_t;
    using difference_type = index_t;
    using pointer = const index_t*;
    using reference = index_t;
    using iterator_category = std::random_access_iterator_tag;
    index_t n, first = 0;
    __host__ __device__ index_t operator[](index_t i) const { return (first + i) * n; }
    __host__ __device__ RowOffsets operator+(index_t i) const { return {n, first + i}; }
};

}  // namespace

std::vector<Candidate> cub_sum(index_t n) {
    return {{"DeviceReduce", [n](const Operands& o, cudaStream_t stream) {
                 std::size_t bytes = peer_workspace_bytes;
                 check(cub::DeviceReduce::Sum(peer_workspace(), bytes, static_cast<const float*>(o.in[0]),
                                              static_cast<float*>(o.out), n, stream));
             }}};
}

std::vector<Candidate> cub_sum_rows(index_t rows, index_t n) {
    return {{"DeviceSegmentedReduce", [rows, n](const Operands& o, cudaStream_t stream) {
                 std::size_t bytes = peer_workspace_bytes;
                 check(cub::DeviceSegmentedReduce::Sum(peer_workspace(), bytes, static_cast<const float*>(o.in[0]),
                                                       static_cast<float*>(o.out), rows, RowOffsets{n},
                                                       RowOffsets{n, 1}, stream));
             }}};
}

}  // namespace inlay_bench
