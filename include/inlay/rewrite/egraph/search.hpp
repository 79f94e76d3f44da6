// SPDX-License-Identifier: Apache-2.0
/// The search for extractions, a branch and bound.
///
/// A partial extraction is bounded from below by the prices of its nodes, and the greater of two sums that each
/// completion pays at least, so that no optimum is cut off:
///   - the least price of each further class that is in every term of a class it needs (`Choices::always`);
///   - the price of the cheapest way down from a class it needs, node by node, along the dearest child of each. Ways
///     lead from classes to those of lower numbers, and count only below all classes that have a node: nothing on them
///     is paid yet.
/// Of a complete extraction the bound is its total.
#pragma once

#include <inlay/rewrite/egraph/choices.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// A chosen node for each class of an extraction.
template <int N>
struct Extraction {
    std::int64_t total = never;  ///< `never`: no extraction was found
    std::int64_t bound = 0;      ///< no extraction has a lower total
    bool exact = false;          ///< false: the limit of branches was reached
    Id node[room_for<N + 1>] = {};  ///< by class, `none` for classes that are not needed

    constexpr bool found() const { return total < never; }
    /// True if node n of class c is in it.
    constexpr bool chooses(Id c, Id n) const { return node[c] == n; }
};

namespace detail {

/// A depth-first search of all extractions whose total is at most the ceiling. `Found::take(search, total)` gets each of
/// them once, and may lower the ceiling or stop the search.
template <int N, class Found>
class Search {
    using Set = Bits<N>;

public:
    constexpr Search(const Choices<N>& choices, Found& found, std::int64_t most, int branches)
        : ceiling(most), choices_(choices), found_(found), branches_(branches) {
        if (!choices.possible.contains(choices.root())) return;
        const Set always = choices.always[choices.root()];
        branch(Set::only(choices.root()), Set(), N, always, 0, choices.least_of(always));
    }

    std::int64_t ceiling;
    bool stop = false;
    constexpr bool exhausted() const { return branches_ < 0; }

    /// The complete extraction that the search is at.
    constexpr Extraction<N> current(std::int64_t total) const {
        Extraction<N> e;
        e.total = total;
        Set left = chosen_;
        for (int c = left.last(); c >= 0; c = left.last()) {
            e.node[choices_.id[c]] = choices_.node[pick_[c]];
            left.erase(c);
        }
        return e;
    }

private:
    /// @param open     classes that are needed and have no node yet
    /// @param chosen   classes that have one
    /// @param lowest   the least number of those
    /// @param counted  classes whose price, or least price, is in the bound
    /// @param paid     prices of chosen nodes
    constexpr void branch(Set open, const Set& chosen, int lowest, const Set& counted, std::int64_t paid,
                          std::int64_t bound) {
        if (open.empty()) {
            chosen_ = chosen;
            found_.take(*this, bound);
            return;
        }
        const int c = open.last();
        open.erase(c);
        const Set with_c = chosen | Set::only(c);
        const int last = smaller(lowest, c);
        for (int n = choices_.first[c]; n < choices_.first[c + 1] && !stop; ++n) {
            const std::int64_t with = bound + choices_.price[n] - choices_.least[c] +
                                      choices_.least_of(choices_.needs[n] - counted);
            if (with > ceiling) continue;
            const Set next = open | (choices_.children[n] - with_c);
            const std::int64_t pays = paid + choices_.price[n];
            if (pays + choices_.dearest_way(next & Set::below(last)) > ceiling) continue;
            if (closes_a_cycle(c, n, chosen)) continue;
            if (--branches_ < 0) {
                stop = true;
                return;
            }
            pick_[c] = static_cast<std::int16_t>(n);
            branch(next, with_c, last, counted | choices_.needs[n], pays, with);
        }
    }
    /// True if chosen nodes lead from node n of class c to c.
    constexpr bool closes_a_cycle(int c, int n, const Set& chosen) const {
        const Set& loop = choices_.loop[c];
        Set below = choices_.children[n] & loop, done;
        for (Set left = below & chosen; !left.empty(); left = (below & chosen) - done) {
            const int x = left.last();
            done.insert(x);
            below = below | (choices_.children[pick_[x]] & loop);
        }
        return below.contains(c);
    }

    const Choices<N>& choices_;
    Found& found_;
    int branches_;
    std::int16_t pick_[room_for<N>] = {};
    Set chosen_;
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::egraph
