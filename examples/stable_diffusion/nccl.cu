// SPDX-License-Identifier: Apache-2.0
/// Exchange between the GPUs of two ranks by NCCL: over NVLink or PCIe within a machine, over its network between two.
#include "../program/cuda_gpus.hpp"
#include "executors.hpp"
#include "ranks.hpp"

#include <inlay/core/error.hpp>
#include <inlay/tile/gpu/runtime/on_device.hpp>

#include <nccl.h>

#include <cstring>
#include <string>

namespace {

void check(ncclResult_t code, const char* call) {
    inlay::require(code == ncclSuccess, call, ": ", ncclGetErrorString(code));
}

/// The two GPUs of a pair. Ended with the process: NCCL waits for work of a peer that may be gone.
struct Pair {
    ncclComm_t both = nullptr;
    int gpu = 0, peer = 0;

    void exchange(cudaStream_t stream, const void* mine, void* others, std::size_t bytes) const {
        const inlay::on_gpu::OnDevice here(gpu);
        check(ncclGroupStart(), "ncclGroupStart");
        check(ncclSend(mine, bytes, ncclChar, peer, both, stream), "ncclSend");
        check(ncclRecv(others, bytes, ncclChar, peer, both, stream), "ncclRecv");
        check(ncclGroupEnd(), "ncclGroupEnd");
    }
};

/// Ranks 2k and 2k + 1 are a pair, whose first makes the name under which both meet.
Exchange connected(const Ranks& ranks, int gpu) {
    const int place = ranks.rank() % 2;
    ncclUniqueId id{};
    std::string text;
    if (place == 0 && ncclGetUniqueId(&id) == ncclSuccess) text.assign(id.internal, sizeof(id.internal));
    text = ranks.gather(text)[static_cast<std::size_t>(ranks.rank() - place)];
    inlay::require(text.size() == sizeof(id.internal), "NCCL has no interface by which two GPUs could meet");
    std::memcpy(id.internal, text.data(), text.size());
    Pair pair{nullptr, gpu, 1 - place};
    const inlay::on_gpu::OnDevice here(gpu);
    check(ncclCommInitRank(&pair.both, 2, id, place), "ncclCommInitRank");
    return [pair](void* stream, const void* mine, void* others, std::size_t bytes) {
        pair.exchange(static_cast<cudaStream_t>(stream), mine, others, bytes);
    };
}

}  // namespace

Connect* nccl() { return connected; }
