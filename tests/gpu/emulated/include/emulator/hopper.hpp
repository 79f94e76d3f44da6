// SPDX-License-Identifier: Apache-2.0
/// Additions of sm_90: barriers in shared memory that count arrivals and bytes, the copy engine, products of
/// warpgroups, and clusters. Copies and products happen late: a copy when somebody waits for its barrier, a product at
/// the wait for its group, so that what is overwritten or read too early shows.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace emulator {

/// `mbarrier` at a shared address. `rank`: of the block in the cluster, -1 for the own one.
void barrier_init(std::uint32_t bar, int arrivals);
void barrier_arrive(std::uint32_t bar, int rank, std::uint32_t bytes);
bool barrier_test(std::uint32_t bar, std::uint32_t parity);

/// A box at c, by a map of `rank` axes, or pixels from c on under the tap `offsets`.
void copy_box(std::uint32_t to, const CUtensorMap& map, std::uint32_t bar, int rank, const int (&c)[5],
              const std::uint16_t* offsets);
/// `bytes` from memory of the device on, which is read late as well.
void copy_span(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t bar);
void copy_to_block(std::uint32_t to, std::uint32_t from, std::uint32_t bytes, std::uint32_t bar, std::uint32_t rank);
/// `st.async` of `bytes` to a block of the cluster: 8, or 16.
void send_to_block(std::uint32_t to, const void* words, std::uint32_t bytes, std::uint32_t bar, std::uint32_t rank);

/// Tensor maps that were made so far.
long encoded_maps();

/// `fence.proxy.async`: engines see what has been written to shared memory.
void fence_shared_for_engines();
/// `barrier.cluster`, of all threads of the cluster.
void cluster_arrive();
void cluster_wait();

/// `wgmma` of m64 n k16 in 16 bits. `a`: registers, or null for the descriptor da. `rows`: B lies in rows along N.
void products_begin();
void product(bool bf16, int n, float* c, const std::uint32_t* a, std::uint64_t da, std::uint64_t db, bool rows,
             bool add);
void products_commit();
void products_wait(int at_most);

}  // namespace emulator
