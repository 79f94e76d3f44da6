// SPDX-License-Identifier: Apache-2.0
/// The order that waits give to the phases of a persistent program: unrolled to instances, and what each of them finds
/// finished.
#pragma once

#include <inlay/plan/persistent/facts.hpp>

namespace inlay::inline INLAY_ABI::persistent {

/// A phase in a round of a pass.
struct Instance {
    int phase = 0, round = 0, pass = 0;
};
/// Instances in the order in which each block takes their tiles.
struct Instances {
    static constexpr int most = 96;

    Instance at[most] = {};
    int count = 0;
};

constexpr int instance_count(const ProgramFacts& f, int rounds, int passes) {
    int n = 0;
    for (int p = 0; p < f.phase_count; ++p) n += f.repeats[f.phases[p].section] ? rounds : 1;
    return n * passes;
}
/// Calls each(instance) for those of a launch, in the order in which each block takes their tiles.
template <class Each>
constexpr void unroll(const ProgramFacts& f, int rounds, int passes, const Each& each) {
    for (int pass = 0; pass < passes; ++pass)
        for (int section = 0; section < f.section_count; ++section)
            for (int round = 0; round < (f.repeats[section] ? rounds : 1); ++round)
                for (int p = 0; p < f.phase_count; ++p)
                    if (f.phases[p].section == section) each(Instance{p, round, pass});
}
constexpr Instances unrolled(const ProgramFacts& f, int rounds, int passes) {
    Instances all;
    unroll(f, rounds, passes, [&](const Instance& i) { all.at[all.count++] = i; });
    return all;
}
/// The instance of `phase` that one at `i` waits for: the last before it. -1: none.
constexpr int waited_for(const Instances& all, int i, int phase) {
    while (--i >= 0 && all.at[i].phase != phase) {
    }
    return i;
}

/// The part of an earlier instance that has ended when a tile of a later one begins: none for certain, the tiles of
/// its own group, or all tiles.
enum class Ended : unsigned char { nothing, group, all };

struct Order {
    Instances instances;
    Ended ended[Instances::most][Instances::most] = {};  ///< [later][earlier]
};

/// Rounds and passes that show every order there is: a wait reaches the round or the pass before at most.
inline constexpr int shown_rounds = 3, shown_passes = 2;

/// Tiles of an instance that waits by group find ended what its group's tiles have found; one that waits for all finds
/// ended what any tile has found, all groups of it.
constexpr Order order_of(const ProgramFacts& f) {
    Order o{unrolled(f, shown_rounds, shown_passes)};
    for (int i = 0; i < o.instances.count; ++i) {
        const PhaseFacts& phase = f.phases[o.instances.at[i].phase];
        for (int w = 0; w < phase.wait_count; ++w) {
            const int j = waited_for(o.instances, i, phase.waits[w].phase);
            if (j < 0) continue;
            const bool group = phase.waits[w].group;
            const auto found = [&](int k, Ended e) {
                if (e > o.ended[i][k]) o.ended[i][k] = e;
            };
            found(j, group ? Ended::group : Ended::all);
            for (int k = 0; k < j; ++k)
                if (o.ended[j][k] != Ended::nothing) found(k, group ? o.ended[j][k] : Ended::all);
        }
    }
    return o;
}

}  // namespace inlay::inline INLAY_ABI::persistent
