// SPDX-License-Identifier: Apache-2.0
/// The threads of a block, as fibers of one host thread. One runs until it meets others, waits at a barrier or gives
/// way; the next one is drawn, so that unordered operations happen in many orders.
#pragma once

#include "fiber.hpp"
#include "shared.hpp"

#include <emulator/machine.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace emulator {

/// xorshift64*, Vigna 2016.
class Draw {
public:
    explicit Draw(std::uint64_t seed = 1) : state_(seed * 0x9e3779b97f4a7c15ull | 1) {}
    unsigned operator()() {
        state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
        return static_cast<unsigned>(state_ * 0x2545f4914f6cdd1dull >> 32);
    }
    unsigned below(unsigned n) { return static_cast<unsigned>(static_cast<std::uint64_t>((*this)()) * n >> 32); }

private:
    std::uint64_t state_;
};

class Block;

/// Threads of a cluster that have come to its barrier.
struct Cluster {
    unsigned come = 0, turns = 0;
};

/// Shared by all blocks of a launch.
struct Grid {
    std::string kernel;
    dim3 grid, block;
    std::size_t dynamic_shared = 0;
    unsigned cluster = 1;
    bool overlaps = false;          ///< with the kernel before it
    std::vector<Block*> blocks;     ///< those that run, by number
    std::vector<Cluster> clusters;
    const std::function<void()>* thread = nullptr;
    Draw draw;
    std::string error;
    int waits = 0;  ///< of threads for others, since something changed
};

/// A copy by `cp.async` that has not happened.
struct Copy {
    char* to;
    const void* from;
    int bytes, size;
    unsigned group;
};

/// A copy to shared memory that has not happened, of which a barrier counts the bytes.
struct BulkCopy {
    std::uint32_t barrier, bytes;
    std::function<void()> happen;
};
/// A product of a warpgroup that has not happened, in one thread.
struct Product {
    bool bf16;
    int n;
    float* c;
    bool from_registers;
    std::uint32_t a[4];
    std::uint64_t da, db;
    bool rows, add;
    unsigned group;
};
/// Registers of C that belong to products under way.
struct Accumulator {
    float* c;
    std::vector<float> values;
    int products;
};

/// A barrier of a block: the threads that have arrived.
struct Barrier {
    const char* what = nullptr;
    int threads = 0, come = 0;
    Votes votes;
    std::vector<int> waiting;
};

struct Thread {
    enum class State { runs, meets, at_barrier, returned };

    int number = 0;
    State state = State::runs;
    const char* what = "";      ///< the instruction at which it waits
    Lanes mask = 0;             ///< whom it meets
    void* mine = nullptr;
    int barrier = 0;
    Votes votes;                ///< of its last barrier
    std::vector<Copy> copies;
    unsigned groups = 0;        ///< closed ones
    int slots = 0;              ///< copies that have not landed
    std::vector<Product> products;
    std::vector<Accumulator> accumulators;
    unsigned product_groups = 0;
    unsigned cluster_turn = 0;  ///< at which it may go on, where it has come to a barrier of its cluster; else 0
    bool after_previous = false;
    bool constants = false;         ///< may be loaded already
    bool fenced = false;        ///< `wgmma.fence` since no product was under way
    Fiber fiber;
    Stack stack;
};

class Block {
public:
    enum class Outcome { finished, gives_way, waits, failed };

    /// Prepares block `index` of a grid.
    void begin(Grid& grid, unsigned index);
    bool active() const { return active_; }
    void abandon() { active_ = false; }
    /// Runs its threads until all have returned, all wait for other blocks, or something is wrong.
    Outcome run();

    // Functions for the running thread.
    Thread& running() { return *running_; }
    [[noreturn]] void stop(const std::string& what);
    /// The access that a thread of an overlapping launch must not do yet.
    void check_order(const char* what);
    void meet(const char* what, Lanes mask, void* mine, void (*all)(void* const*, Lanes));
    Lanes lanes_there() const;
    Votes barrier(const char* what, int id, int threads, bool vote, bool stay);
    void give_way(bool waits);
    void progress() { grid_->waits = 0; }
    void copy(std::uint32_t to, const void* from, int bytes, int size);
    void close_group() { ++running_->groups; }
    void wait_for_groups(int at_most);
    Grid& grid() { return *grid_; }
    std::uint32_t address(const void* p);
    /// Checked memory of this block; an error is the running thread's, which may be another block's.
    void* place(std::uint32_t address, std::size_t bytes, std::size_t alignment, const char* what);
    /// The same of an engine, which does not see what threads have written and not fenced.
    const void* read_by_engine(std::uint32_t address, std::size_t bytes, std::size_t alignment, const char* what);
    void write_by_engine(std::uint32_t address, const void* data, std::size_t bytes, std::size_t alignment,
                         const char* what);
    void fence_for_engines() { shared_.fence_for_engines(); }
    Block& peer(int rank);
    unsigned threads() const { return static_cast<unsigned>(count_); }
    unsigned rank() const { return index_ % grid_->cluster; }
    Cluster& cluster() { return grid_->clusters[index_ / grid_->cluster]; }
    Thread* lanes() { return &threads_[static_cast<std::size_t>(running_->number / warp_lanes * warp_lanes)]; }
    std::vector<BulkCopy> coming;   ///< to this block's shared memory

private:
    static constexpr int most_warps = 1024 / warp_lanes;
    static void enter();
    void returns();
    void ready(int thread);
    Thread* next();
    void leave();
    std::string where_all_wait() const;
    static bool same(const char* a, const char* b);

    Grid* grid_ = nullptr;
    unsigned index_ = 0;
    bool active_ = false;
    SharedMemory shared_;
    std::vector<Thread> threads_;
    int count_ = 0, returned_ = 0;
    Thread* running_ = nullptr;
    Fiber base_;
    Barrier barriers_[16];

    // Sets of lanes of each warp, and of warps that have ready lanes.
    Lanes ready_[most_warps], waits_[most_warps], meets_[most_warps], warps_ready_ = 0;
    int warp_ = 0, turn_ = 0;
    bool down_ = false, gives_way_ = false;
};

/// That of the calling host thread, null elsewhere.
extern thread_local constinit Block* running_block;

}  // namespace emulator
