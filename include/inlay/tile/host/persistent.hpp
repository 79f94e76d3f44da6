// SPDX-License-Identifier: Apache-2.0
/// Tasks of a persistent program on the host, one at a time, in a random order that the program's waits allow: those
/// that a GPU may take, and more. A task is a tile of an instance.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/plan/persistent/order.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace inlay::inline INLAY_ABI::persistent {

/// `begin(instance, buffer)` comes before the first task of an instance that writes a buffer; `run(instance, tile)`
/// runs a task. The order follows from the seed. Fails for more instances than `Instances` holds.
template <class Begin, class Run>
void run_in_random_order(const ProgramFacts& f, int rounds, int passes, std::uint64_t seed, const Begin& begin,
                         const Run& run) {
    const int count = instance_count(f, rounds, passes);
    require(count <= Instances::most, "a persistent program has ", count, " instances, of which ", Instances::most,
            " can be run in a random order");
    const Instances instances = unrolled(f, rounds, passes);
    struct Progress {
        std::vector<int> left;   // tiles that have not run
        std::vector<int> ended;  // tiles of each group
        int all = 0;
    };
    std::vector<Progress> progress(static_cast<std::size_t>(instances.count));
    const auto of = [&](int i) -> Progress& { return progress[static_cast<std::size_t>(i)]; };
    const auto phase = [&](int i) -> const PhaseFacts& { return f.phases[instances.at[i].phase]; };
    int tasks = 0;
    for (int i = 0; i < instances.count; ++i) {
        for (int t = 0; t < phase(i).tiles; ++t) of(i).left.push_back(t);
        of(i).ended.resize(static_cast<std::size_t>(phase(i).groups));
        tasks += phase(i).tiles;
    }
    const auto may_run = [&](int i, int tile) {
        const PhaseFacts& p = phase(i);
        for (int w = 0; w < p.wait_count; ++w) {
            const int j = waited_for(instances, i, p.waits[w].phase);
            if (j < 0) continue;
            const int group = tile / (p.tiles / p.groups), own = phase(j).tiles / phase(j).groups;
            if (p.waits[w].group ? of(j).ended[static_cast<std::size_t>(group)] < own : of(j).all < phase(j).tiles)
                return false;
        }
        return true;
    };
    const auto random = [&](std::size_t n) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        return (seed >> 33) % n;
    };
    struct Task {
        int instance;
        std::size_t place;
    };
    std::vector<Task> ready;
    for (; tasks > 0; --tasks) {
        ready.clear();
        for (int i = 0; i < instances.count; ++i)
            for (std::size_t k = 0; k < of(i).left.size(); ++k)
                if (may_run(i, of(i).left[k])) ready.push_back({i, k});
        // Half of all times one of the last instance that may run: those run too early if a wait is missing.
        std::size_t first = 0;
        if (random(2))
            while (ready[first].instance != ready.back().instance) ++first;
        const Task task = ready[first + random(ready.size() - first)];
        Progress& p = of(task.instance);
        const PhaseFacts& facts = phase(task.instance);
        if (p.left.size() == static_cast<std::size_t>(facts.tiles))
            for (int u = 0; u < facts.use_count; ++u)
                if (facts.uses[u].writes) begin(instances.at[task.instance], facts.uses[u].buffer);
        const int tile = p.left[task.place];
        p.left.erase(p.left.begin() + static_cast<std::ptrdiff_t>(task.place));
        run(instances.at[task.instance], tile);
        ++p.ended[static_cast<std::size_t>(tile / (facts.tiles / facts.groups))], ++p.all;
    }
}

}  // namespace inlay::inline INLAY_ABI::persistent
