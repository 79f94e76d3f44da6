// SPDX-License-Identifier: Apache-2.0
#include <emulator/hopper.hpp>

#include "engines.hpp"

#include <utility>
#include <vector>

namespace emulator {
namespace {

/// A barrier: 8 bytes of shared memory.
struct Bits {
    std::int32_t bytes;             // announced and not there
    std::uint16_t pending;          // arrivals of the phase
    std::uint16_t expected;         // and of every phase; the highest bit is the phase's parity
};
static_assert(sizeof(Bits) == 8);
constexpr std::uint16_t parity_bit = 0x8000;

Bits* bits_of(Block& block, std::uint32_t bar, const char* what) {
    auto* const b = static_cast<Bits*>(block.place(bar, 8, 8, what));
    if (b->pending == 0xffff) fail(what, ": there is no barrier at shared address ", bar);
    return b;
}
void complete(Bits* b) {
    if (b->pending > 0 || b->bytes != 0) return;
    b->expected ^= parity_bit;
    b->pending = b->expected & static_cast<std::uint16_t>(~parity_bit);
    progress();
}
/// One of the copies that the barrier counts, not always the first, arrives. False if there is none.
bool let_one_arrive(Block& block, std::uint32_t bar) {
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < block.coming.size(); ++i)
        if (block.coming[i].barrier == bar) mine.push_back(i);
    if (mine.empty()) return false;
    const auto i = static_cast<std::ptrdiff_t>(mine[block.grid().draw.below(static_cast<unsigned>(mine.size()))]);
    const BulkCopy copy = std::move(block.coming[static_cast<std::size_t>(i)]);
    block.coming.erase(block.coming.begin() + i);
    copy.happen();
    Bits* const b = bits_of(block, bar, "complete_tx");
    b->bytes -= static_cast<std::int32_t>(copy.bytes);
    complete(b);
    return true;
}

}  // namespace

void begin_copy(Block& to, std::uint32_t bar, std::uint32_t bytes, std::function<void()> happen) {
    bits_of(to, bar, "a copy's barrier");
    to.coming.push_back({bar, bytes, std::move(happen)});
    if (to.grid().draw.below(8) == 0) let_one_arrive(to, bar);
    progress();
}

void barrier_init(std::uint32_t bar, int arrivals) {
    if (arrivals < 1 || arrivals > 0x7ffe) fail("mbarrier.init of ", arrivals, " arrivals");
    const auto n = static_cast<std::uint16_t>(arrivals);
    *static_cast<Bits*>(running_block->place(bar, 8, 8, "mbarrier.init")) = {0, n, n};
}
void barrier_arrive(std::uint32_t bar, int rank, std::uint32_t bytes) {
    Block& block = running_block->peer(rank);
    Bits* const b = bits_of(block, bar, "mbarrier.arrive");
    if (b->pending == 0) fail("more arrivals at the barrier at shared address ", bar, " than it counts");
    b->bytes += static_cast<std::int32_t>(bytes);
    --b->pending;
    complete(b);
    progress();
}
bool barrier_test(std::uint32_t bar, std::uint32_t parity) {
    if (parity > 1) fail("mbarrier.try_wait for parity ", parity);
    const auto done = [&] { return (bits_of(*running_block, bar, "mbarrier.try_wait")->expected >> 15) != parity; };
    if (done() || (let_one_arrive(*running_block, bar) && done())) return true;
    give_way(true);
    return done();
}

void fence_shared_for_engines() { running_block->fence_for_engines(); }
void cluster_arrive() {
    Block& block = *running_block;
    Cluster& c = block.cluster();
    unsigned& turn = block.running().cluster_turn;
    if (turn != 0) fail("a thread comes to a barrier of the cluster again and has not waited for it");
    turn = c.turns + 1;
    if (++c.come < block.grid().cluster * block.threads()) return;
    c.come = 0;
    ++c.turns;
    progress();
}
void cluster_wait() {
    Block& block = *running_block;
    unsigned& turn = block.running().cluster_turn;
    if (turn == 0) fail("a thread waits for a barrier of the cluster to which it has not come");
    while (block.cluster().turns < turn) give_way(true);
    turn = 0;
}

}  // namespace emulator
