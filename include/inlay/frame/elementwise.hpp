// SPDX-License-Identifier: Apache-2.0
/// Elementwise: y = E, in one pass. Also gathers, embeds, concatenates or permutes where nothing else is to be done.
///
/// Holes: the expression, the sink. Moves each distinct input once and the output once; FLOPs are those of E.
#pragma once

#include <inlay/expr/view/gather.hpp>
#include <inlay/frame/base.hpp>

namespace inlay::inline INLAY_ABI {

template <class E, class S = Store<0>, class Schedule = Auto>
struct Elementwise : frame_tag {
    using prologues = types<E>;
    using epilogue = Out;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 0;
    static constexpr const char* kind = "elementwise";
    using calls = map_member;
    /// The expression broadcasts to its output, so that one of constants and coordinates alone has extents.
    static constexpr bool fills = true;

    template <int Q, int R>
    static auto shape(const Extents<Q>& e, const Extents<R>& result) {
        static_assert(Q <= R, "inlay: the output of Elementwise has a lower rank than its expression");
        require(broadcast_extents(e, result) == result, name<Elementwise>(), ": the output takes ", text(result),
                ", the expression has extents ", text(e));
        return Problem<R>{result, 0};
    }

    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        target.map(p.problem.out, get<0>(p.in), p.sink);
        target.publish_stats(p.sink);
    }
};

/// Rows of a table chosen by int32 ids: table [V, C], ids [...] → [..., C]. Slots: table, ids.
template <class Table = Buf<0>, class Ids = Buf<1>, class S = Store<0>>
using Embedding = Elementwise<Gather<Table, Ids, 0>, S>;

}  // namespace inlay::inline INLAY_ABI
