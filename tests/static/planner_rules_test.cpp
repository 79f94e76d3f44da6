// SPDX-License-Identifier: Apache-2.0
/// Rules of whole layers in constant expressions, each stage a constant of its own.
#include "../rewrite/planner/layers.hpp"

namespace {

using namespace inlay_test::layers;

template <class P>
struct Passes {
    static constexpr auto written = P::written();
    static constexpr auto halves = P::template saturated<typename P::halves>(written);
    static constexpr auto joined = P::template saturated<typename P::joined>(halves);
    static constexpr auto folded = P::template saturated<typename P::folded>(joined);
    static constexpr bool nodes(int as_written, int halved, int with_joined, int with_folded) {
        return !folded.limit_reached() && folded.conflict().a == egraph::none && written.live_nodes() == as_written &&
               halves.live_nodes() == halved && joined.live_nodes() == with_joined &&
               folded.live_nodes() == with_folded;
    }
};
static_assert(Passes<Transformer>::nodes(56, 56, 71, 132));
static_assert(Passes<ResNet>::nodes(29, 29, 38, 44));
static_assert(Passes<Guided>::nodes(46, 82, 91, 138));

}  // namespace
