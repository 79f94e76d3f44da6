// SPDX-License-Identifier: Apache-2.0
/// A scheduler under which kernels of the library are tasks of one launch. Blocks draw tasks in the program's order,
/// one at a time, wait for the counters that a task waits for, run its body, and count it. A task that was drawn waits
/// for tasks that were drawn before it alone, all by running blocks: any number of blocks ends, resident or not.
#pragma once

#include <inlay/tile/cuda/isa/bulk.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/persistent/task.hpp>
#include <inlay/tile/gpu/persistent/words.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A task of a launch: a member of a group's tasks of a phase; of phase -1, none is left.
struct Task {
    int phase, group, member;
};

/// A block's task and its launch, in shared memory: registers are the bodies'.
struct DrawnTask {
    Task task;
    std::uint32_t begin, launch;
};

/// A block's draws, by its first thread.
class TaskQueue {
public:
    __device__ INLAY_INLINE TaskQueue(const TaskTable& t, DrawnTask& drawn) : t_(t), drawn_(drawn) {}

    /// Reads where the launch begins.
    __device__ INLAY_INLINE void enter() const {
        drawn_.begin = load_relaxed(&t_.state->begin);
        drawn_.launch = load_relaxed(&t_.state->launches);
    }
    /// The next task, once what it waits for has ended.
    __device__ INLAY_INLINE void draw() const {
        const auto task = static_cast<int>(add_atomically(&t_.state->ticket, 1u) - drawn_.begin);
        if (task >= t_.tasks) {
            drawn_.task = {-1, 0, 0};
            return;
        }
        int p = t_.phase_count - 1;
        while (task < t_.phases[p].first) --p;
        const TaskPhase& phase = t_.phases[p];
        const int in = task - phase.first, group = in / phase.members;
        if (t_.delay > 0)
            spend_clocks(((drawn_.begin + static_cast<unsigned>(task) + 1) * 2654435761u >> 8) %
                         static_cast<unsigned>(t_.delay));
        for (int w = 0; w < phase.wait_count; ++w) wait(phase.waits[w], group);
        drawn_.task = {p, group, in - group * phase.members};
    }
    /// Counts the task, whose writes a barrier has made visible to this thread.
    __device__ INLAY_INLINE void end() const {
        const Task task = drawn_.task;
        const TaskPhase& phase = t_.phases[task.phase];
        if (phase.end_count == 0) return;
        fence_device();
        for (int e = 0; e < phase.end_count; ++e) add_atomically(word(phase.ends[e], task.group), 1u);
    }
    /// The last block to leave begins the next launch: all have read where this one began.
    __device__ INLAY_INLINE void leave(std::uint32_t blocks) const {
        if (count_wrapping(&t_.state->left, blocks - 1) != blocks - 1) return;
        t_.state->begin = drawn_.begin + static_cast<std::uint32_t>(t_.tasks) + blocks;
        t_.state->launches = drawn_.launch + 1;
    }

private:
    __device__ INLAY_INLINE std::uint32_t* word(const TaskCounter& c, int group) const {
        return t_.counters + c.at + (c.by_group ? group : 0);
    }
    /// Counters go on from launch to launch and may wrap: their distance from what they reach counts.
    __device__ INLAY_INLINE void wait(const TaskCounter& c, int group) const {
        const std::uint32_t* const at = word(c, group);
        const std::uint32_t reached = (drawn_.launch + 1) * static_cast<std::uint32_t>(c.tasks);
        for (int polls = 0; static_cast<std::int32_t>(load_relaxed(at) - reached) < 0; ++polls)
            if (polls > most_polls) stop_kernel();
        fence_device();
    }

    const TaskTable& t_;
    DrawnTask& drawn_;
};

/// Tasks of one body: `Tasks` runs one of them,
///
///     struct Tasks {
///         struct Arguments { … };
///         static __device__ void run(const Arguments&, int group, int member, int members, char* shared);
///     };
///
/// `Count`: phases that are of this kind.
template <class Tasks, int Count>
struct TaskKind {
    using tasks = Tasks;
    static constexpr int count = Count;
    struct Arguments {
        typename Tasks::Arguments of[Count];
    };
};

/// `Kind`: a `TaskKind` each.
template <int Threads, int MinBlocks, class... Kind>
struct TasksBody {
    struct Arguments {
        TaskTable table;
        pack<typename Kind::Arguments...> kinds;
    };
    using Scheduler = PersistentTiles;
    static constexpr int threads = Threads, min_blocks = MinBlocks, alignment = 256;

    template <class Tiles>
    static __device__ INLAY_INLINE void run(const Arguments& a, Tiles tiles, char* memory) {
        __shared__ DrawnTask drawn;
        const TaskQueue queue(a.table, drawn);
        if (thread_index() == 0) queue.enter();
        Task task{};
        // A second way into the loop, which no launch takes. Out of a loop of one entry compilers move addresses that no
        // task changes, 30 registers, which live across each body.
        if (a.table.tasks < 0) goto run;
    draw:
        if (thread_index() == 0) queue.draw();
        block_sync();
        task = {warp_uniform(drawn.task.phase), warp_uniform(drawn.task.group), warp_uniform(drawn.task.member)};
        if (task.phase < 0) goto leave;
    run:
        run_task(a, task, memory, std::make_integer_sequence<int, static_cast<int>(sizeof...(Kind))>{});
        complete_writes();
        block_sync();
        if (thread_index() == 0) queue.end();
        goto draw;
    leave:
        if (thread_index() == 0) queue.leave(static_cast<std::uint32_t>(tiles.stride()));
    }

private:
    /// The task by its kind. No lambda: nvcc makes a function of a large one, which spills.
    template <int... I>
    static __device__ INLAY_INLINE void run_task(const Arguments& a, const Task& task, char* memory,
                                                 std::integer_sequence<int, I...>) {
        const TaskPhase& phase = a.table.phases[task.phase];
        ((phase.kind == I ? Kind::tasks::run(get<I>(a.kinds).of[phase.number], task.group, task.member, phase.members,
                                             memory)
                          : void()),
         ...);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
