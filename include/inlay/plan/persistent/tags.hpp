// SPDX-License-Identifier: Apache-2.0
/// Tags of values: each instance of a persistent program has a number, which stands beside every word that it hands
/// over. A reader computes the number of the instance it waits for, so that words of an older value are never taken for
/// new ones.
#pragma once

#include <inlay/plan/persistent/check.hpp>

namespace inlay::inline INLAY_ABI::persistent {

/// Instances from the last one that writes `buffer` to one of `phase` in the given round of a later pass. It must not
/// depend on the number of rounds: -1 if it does.
constexpr int instances_since(const ProgramFacts& f, int phase, int buffer, int round) {
    int found[2] = {};
    for (int rounds = 2; rounds <= 3; ++rounds) {
        const Order o{unrolled(f, rounds, 2)};
        int i = o.instances.count - 1;
        while (o.instances.at[i].phase != phase || o.instances.at[i].round != round || o.instances.at[i].pass != 1) --i;
        int k = i - 1;
        while (k >= 0 && !uses(f, o, k, buffer, true)) --k;
        found[rounds - 2] = k < 0 ? -1 : i - k;
    }
    return found[0] == found[1] ? found[0] : -1;
}

/// The same by types, for device code.
template <class P, class Phase, class B>
struct Since {
    static constexpr bool repeats = [] {
        const ProgramFacts f = facts_of<P>();
        return f.repeats[f.phases[phase_number<P, Phase>].section];
    }();
    static constexpr int first = instances_since(facts_of<P>(), phase_number<P, Phase>, buffer_number<P, B>, 0);
    static constexpr int later =
        repeats ? instances_since(facts_of<P>(), phase_number<P, Phase>, buffer_number<P, B>, 1) : first;
    static_assert(
        first > 0 && later > 0,
        "inlay: a phase of a persistent program reads a value that was written a variable number of rounds ago");
    INLAY_FN static constexpr int in(int round) { return first == later || round == 0 ? first : later; }
};

/// Calls f.template operator()<Phase>(round, index) for the instances of a pass, in their order.
template <class P, class F>
INLAY_FN constexpr void each_instance(int rounds, const F& f) {
    int first = 0;
    const auto section = [&]<class S>(S) {
        constexpr int size = S::phases::size;
        const int end = S::repeats ? rounds : 1;
        for (int round = 0; round < end; ++round)
            [&]<class... Phase>(types<Phase...>) {
                (f.template operator()<Phase>(round,
                                              first + round * size + inlay::detail::index_in<types<Phase...>, Phase>),
                 ...);
            }(typename S::phases{});
        first += end * size;
    };
    [&]<class... S>(types<S...>) { (section(S{}), ...); }(typename P::sections{});
}

}  // namespace inlay::inline INLAY_ABI::persistent
