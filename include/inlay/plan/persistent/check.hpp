// SPDX-License-Identifier: Apache-2.0
/// Proofs about a persistent program, by its types: no wait closes a cycle, each value is there before it is read and
/// stays until its last reader has ended, and no two values that live at one time share storage.
#pragma once

#include <inlay/plan/persistent/order.hpp>

namespace inlay::inline INLAY_ABI::persistent {

enum class Fault { none, cycle, not_written, race, lifetimes };

/// The first fault of a program: the numbers of its phase, of the other one, and of a buffer.
struct Verdict {
    Fault fault = Fault::none;
    int phase = -1, other = -1, buffer = -1;
};

/// `After` names a phase further up, `AfterLast` one that is not: then each wait is for an instance before it, and
/// blocks that take tiles in the program's order, all resident, always have one that can run.
constexpr Verdict check_cycles(const ProgramFacts& f) {
    for (int p = 0; p < f.phase_count; ++p)
        for (int w = 0; w < f.phases[p].wait_count; ++w) {
            const WaitFacts& wait = f.phases[p].waits[w];
            if (wait.last ? wait.phase < p : wait.phase >= p) return {Fault::cycle, p, wait.phase};
        }
    return {};
}

/// Two uses of a buffer, one of them a write, by different tiles: the later one begins when the earlier one has ended.
constexpr Verdict check_races(const ProgramFacts& f, const Order& o) {
    for (int i = 0; i < o.instances.count; ++i) {
        const Instance& later = o.instances.at[i];
        const PhaseFacts& p = f.phases[later.phase];
        for (int u = 0; u < p.use_count; ++u) {
            const UseFacts& use = p.uses[u];
            bool written = false;
            for (int k = 0; k <= i; ++k) {
                const Instance& earlier = o.instances.at[k];
                const PhaseFacts& q = f.phases[earlier.phase];
                if (f.buffers[use.buffer].kept && earlier.round != later.round) continue;
                for (int v = 0; v < q.use_count; ++v) {
                    const UseFacts& before = q.uses[v];
                    if (before.buffer != use.buffer) continue;
                    written |= before.writes && k < i;
                    if (!before.writes && !use.writes) continue;
                    const bool own = before.group && use.group && p.groups == q.groups && p.groups > 1;
                    // Tiles of one instance write places of their own; those that are read by one of them must be its.
                    if (k == i && (before.writes == use.writes || own)) continue;
                    const Ended least = own ? Ended::group : Ended::all;
                    if (k == i || o.ended[i][k] < least) return {Fault::race, later.phase, earlier.phase, use.buffer};
                }
            }
            if (!use.writes && !written && !f.buffers[use.buffer].kept)
                return {Fault::not_written, later.phase, -1, use.buffer};
        }
    }
    return {};
}

/// True if instance i uses a buffer; `writes`: if it writes it.
constexpr bool uses(const ProgramFacts& f, const Order& o, int i, int buffer, bool writes) {
    const PhaseFacts& p = f.phases[o.instances.at[i].phase];
    for (int u = 0; u < p.use_count; ++u)
        if (p.uses[u].buffer == buffer && (p.uses[u].writes || !writes)) return true;
    return false;
}
/// True if a value of `buffer` lives from before instance i to after it: written earlier, read later.
constexpr bool lives_over(const ProgramFacts& f, const Order& o, int i, int buffer) {
    bool written = false;
    for (int k = 0; k < i; ++k) written |= uses(f, o, k, buffer, true);
    if (!written) return false;
    for (int k = i + 1; k < o.instances.count; ++k) {
        const bool any = uses(f, o, k, buffer, false), writes = uses(f, o, k, buffer, true);
        const PhaseFacts& p = f.phases[o.instances.at[k].phase];
        for (int u = 0; u < p.use_count; ++u)
            if (p.uses[u].buffer == buffer && !p.uses[u].writes) return true;
        if (any && writes) return false;
    }
    return false;
}
/// True if two buffers may have the same bytes: no value of one is written where one of the other lives, or by tiles
/// that some tile may still precede with the other's.
constexpr bool may_share(const ProgramFacts& f, const Order& o, int a, int b) {
    if (f.buffers[a].kept || f.buffers[b].kept) return false;
    for (int i = 0; i < o.instances.count; ++i) {
        const bool of_a = uses(f, o, i, a, false), of_b = uses(f, o, i, b, false);
        if (of_a && of_b) return false;
        if (uses(f, o, i, a, true) && lives_over(f, o, i, b)) return false;
        if (uses(f, o, i, b, true) && lives_over(f, o, i, a)) return false;
        if (!of_a && !of_b) continue;
        for (int k = 0; k < i; ++k)
            if (uses(f, o, k, of_a ? b : a, false) && o.ended[i][k] != Ended::all) return false;
    }
    return true;
}

constexpr Verdict check(const ProgramFacts& f) {
    const Verdict cycles = check_cycles(f);
    return cycles.fault != Fault::none ? cycles : check_races(f, order_of(f));
}

/// The facts without one of the waits, to show that it is needed.
constexpr ProgramFacts without_wait(ProgramFacts f, int phase, int wait) {
    PhaseFacts& p = f.phases[phase];
    for (int w = wait; w + 1 < p.wait_count; ++w) p.waits[w] = p.waits[w + 1];
    --p.wait_count;
    return f;
}
/// The number of waits without which a program passes its check: each costs time for nothing.
constexpr int superfluous_waits(const ProgramFacts& f) {
    int n = 0;
    for (int p = 0; p < f.phase_count; ++p)
        for (int w = 0; w < f.phases[p].wait_count; ++w) n += check(without_wait(f, p, w)).fault == Fault::none ? 1 : 0;
    return n;
}

/// A program that has passed: its verdict stands in the compiler's message otherwise.
template <class P, Verdict V = check(facts_of<P>())>
struct Checked {
    static_assert(
        V.fault != Fault::cycle,
        "inlay: a wait of a persistent program closes a cycle: After names an earlier phase, AfterLast a later one");
    static_assert(V.fault != Fault::not_written,
                  "inlay: a phase of a persistent program reads a buffer that no phase before it has written");
    static_assert(
        V.fault != Fault::race,
        "inlay: two phases of a persistent program use a buffer, one of them writes it, and no waits order them");
    static constexpr ProgramFacts facts = facts_of<P>();
};

}  // namespace inlay::inline INLAY_ABI::persistent
