// SPDX-License-Identifier: Apache-2.0
/// Tasks of a persistent launch whose kernels are the library's own bodies: a table of phases, made of a program's
/// facts, and counters that say which tasks have ended.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/order.hpp>
#include <inlay/plan/persistent/facts.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A counter, and what each launch adds to it.
struct TaskCounter {
    int at, tasks;  ///< at: of the first group
    bool by_group;  ///< groups have one each, else all have this one
};
/// A phase: its tasks are numbered group by group. Its kind is a body, of whose arguments it has those at `number`.
struct TaskPhase {
    static constexpr int most_waits = 2;

    int first, members;  ///< tasks of earlier phases, and of a group
    int kind, number;
    TaskCounter waits[most_waits], ends[most_waits];
    int wait_count, end_count;
};
/// Words of device memory that are 0 before the first launch. `ticket` goes on from launch to launch, and counters too,
/// so that nothing is reset between them.
struct TaskState {
    std::uint32_t ticket, begin;  ///< the next task, and the first of this launch
    std::uint32_t launches, left;
};
struct TaskTable {
    TaskPhase phases[persistent::ProgramFacts::most_phases];
    int phase_count, tasks;
    int delay;  ///< clocks that blocks waste at random before tasks, at most; to find races
    TaskState* state;
    std::uint32_t* counters;

    /// Words of counters: for each phase one a group and one of all.
    static constexpr int counter_words(const persistent::ProgramFacts& f) {
        int n = 0;
        for (int p = 0; p < f.phase_count; ++p) n += f.phases[p].groups + 1;
        return n;
    }
};

/// The body of a phase, and which of its arguments.
struct TaskKindOf {
    int kind, number;
};

/// The table of a program that runs once a launch. `kinds`: of each phase. Waits for a pass before are the stream's.
inline TaskTable task_table(const persistent::ProgramFacts& f, const TaskKindOf* kinds) {
    TaskTable t{};
    t.phase_count = f.phase_count;
    int counters[persistent::ProgramFacts::most_phases] = {};
    for (int p = 0, n = 0; p < f.phase_count; n += f.phases[p++].groups + 1) counters[p] = n;
    for (int p = 0; p < f.phase_count; ++p) {
        const persistent::PhaseFacts& from = f.phases[p];
        TaskPhase& to = t.phases[p];
        require(!f.repeats[from.section], "a table of tasks has phases that run once, and phase ", p, " repeats");
        to.first = t.tasks, to.members = from.tiles / from.groups;
        to.kind = kinds[p].kind, to.number = kinds[p].number;
        t.tasks += from.tiles;
        for (int w = 0; w < from.wait_count; ++w) {
            const persistent::WaitFacts& wait = from.waits[w];
            if (wait.last) continue;
            require(to.wait_count < TaskPhase::most_waits, "phase ", p, " of a table of tasks has more than ",
                    TaskPhase::most_waits, " waits");
            const persistent::PhaseFacts& other = f.phases[wait.phase];
            const TaskCounter counter{counters[wait.phase] + (wait.group ? 0 : other.groups),
                                      wait.group ? other.tiles / other.groups : other.tiles, wait.group};
            to.waits[to.wait_count++] = counter;
            TaskPhase& ended = t.phases[wait.phase];
            bool there = false;
            for (int e = 0; e < ended.end_count; ++e) there |= ended.ends[e].at == counter.at;
            if (!there) ended.ends[ended.end_count++] = counter;
        }
    }
    return t;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
