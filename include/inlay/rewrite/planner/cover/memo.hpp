// SPDX-License-Identifier: Apache-2.0
/// States that a search for covers has entered. What follows depends on the values still to be stored and on those
/// below them that are stored, so a way there that costs no less than two others leads to neither the best nor the
/// second best.
#pragma once

#include <inlay/rewrite/planner/cuts/sets.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::planner::detail {

constexpr Values below(int v) {
    return v < 64 ? Values{(std::uint64_t(1) << v) - 1, 0}
                  : Values{~std::uint64_t(0), (std::uint64_t(1) << (v - 64)) - 1};
}

struct CoverMemo {
    static constexpr std::uint64_t places = 512, tries = 4;
    struct Place {
        bool used = false;
        Values pending, covered;
        std::int64_t best = 0, second = -1;     ///< costs of the ways there; -1: there was one
    };
    Place place[places] = {};

    /// False if two ways to the state cost no more. A state that finds no place is not remembered.
    constexpr bool improves(Values pending, Values all, std::int64_t cost) {
        const Values covered = all & below(pending.greatest());
        const std::uint64_t h = (pending.a * 0x9e3779b97f4a7c15u) ^ (pending.b * 0xc2b2ae3d27d4eb4fu) ^
                                (covered.a * 0x165667b19e3779f9u) ^ (covered.b * 0x27d4eb2f165667c5u);
        for (std::uint64_t i = 0; i < tries; ++i) {
            Place& p = place[((h >> 40) + i) % places];
            if (!p.used) {
                p = {true, pending, covered, cost, -1};
                return true;
            }
            if (!(p.pending == pending && p.covered == covered)) continue;
            if (p.second >= 0 && cost >= p.second) return false;
            if (cost < p.best) p.second = p.best, p.best = cost;
            else p.second = cost;
            return true;
        }
        return true;
    }
};

}  // namespace inlay::inline INLAY_ABI::planner::detail
