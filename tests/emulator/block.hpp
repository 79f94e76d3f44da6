// SPDX-License-Identifier: Apache-2.0
/// The threads of a block, as fibers of one host thread. One runs until it meets others, waits at a barrier or gives way;
/// who comes next is drawn, so that what is not ordered by the program happens in many orders.
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

/// What all blocks of a launch share.
struct Grid {
    std::string kernel;
    dim3 grid, block;
    std::size_t dynamic_shared = 0;
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

/// A barrier of a block: who has come.
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
    unsigned mask = 0;          ///< whom it meets
    void* mine = nullptr;
    int barrier = 0;
    Votes votes;                ///< of its last barrier
    std::vector<Copy> copies;
    unsigned groups = 0;        ///< closed ones
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

    // What the running thread may call.
    Thread& running() { return *running_; }
    [[noreturn]] void stop(const std::string& what);
    void meet(const char* what, unsigned mask, void* mine, void (*all)(void* const*, unsigned));
    Votes barrier(const char* what, int id, int threads, bool vote, bool stay);
    void give_way(bool waits);
    void progress() { grid_->waits = 0; }
    void copy(std::uint32_t to, const void* from, int bytes, int size);
    void close_group() { ++running_->groups; }
    void wait_for_groups(int at_most);
    const SharedMemory& shared() const { return shared_; }
    Grid& grid() { return *grid_; }

    static constexpr std::uint32_t first_address = 4096;  ///< of shared memory, so that 0 is none

private:
    static void enter();
    void returns();
    int lanes_present(int warp) const;
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
    std::uint32_t ready_[32], waits_[32], meets_[32], warps_ready_ = 0;
    int warp_ = 0, turn_ = 0;
    bool down_ = false, gives_way_ = false;
};

/// That of the calling host thread, null elsewhere.
extern thread_local constinit Block* running_block;

}  // namespace emulator
