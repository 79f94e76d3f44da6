// SPDX-License-Identifier: Apache-2.0
/// Plans of whole layers in constant expressions, each pass a constant of its own.
#include "../rewrite/planner/facts_of.hpp"

namespace {

using namespace inlay;
using namespace inlay::planner;
using namespace inlay::planner::testing;

/// Kernels of a cover, without arrangements of memory.
constexpr int launches(const Facts& f, const Cuts& cuts, const Candidates& candidates, const Cover& c, int phase = 3) {
    int n = 0;
    for (int i = 0; i < c.kernels; ++i) {
        const Kernel k = expand(f, cuts, candidates, c.kernel[i]);
        n += k.phase == phase && !arranges(f, k);
    }
    return n;
}

namespace of_resnet {
constexpr Facts facts = resnet(64, 320);
constexpr Cuts cuts = find_cuts(facts);
constexpr Candidates candidates = find_candidates(facts, cuts);
constexpr Prices prices = price_all(facts, cuts, candidates, sm90a_target);
constexpr Covers covers = find_covers(facts, cuts, candidates, prices);
static_assert(!candidates.limited && covers.exact && covers.runner_up.exists);
static_assert(launches(facts, cuts, candidates, covers.best) == 4);
}  // namespace of_resnet

namespace of_transformer {
constexpr Facts facts = transformer(4096, 320, 8);
static_assert(facts.nodes >= 60);
constexpr Cuts cuts = find_cuts(facts);
constexpr Candidates candidates = find_candidates(facts, cuts);
constexpr Prices prices = price_all(facts, cuts, candidates, sm90a_target);
constexpr Covers covers = find_covers(facts, cuts, candidates, prices);
static_assert(!candidates.limited && covers.exact && covers.runner_up.exists);
// Three norms, two attentions, Q K V, Q, two outputs, the gated product and the last one; K and V once a prompt.
static_assert(launches(facts, cuts, candidates, covers.best) == 11);
static_assert(launches(facts, cuts, candidates, covers.best, 2) == 1);
constexpr Prices of_cpu = price_all(facts, cuts, candidates, host_target);
static_assert(find_covers(facts, cuts, candidates, of_cpu).exact);
}  // namespace of_transformer

}  // namespace
