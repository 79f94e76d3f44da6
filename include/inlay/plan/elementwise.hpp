// SPDX-License-Identifier: Apache-2.0
/// The decision of elementwise work on a target: every thread evaluates one chunk of 16 bytes of the result, or four
/// where their places are dear. The launch takes it, `explain` prints it.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/text.hpp>
#include <inlay/expr/access.hpp>
#include <inlay/plan/access/chunks.hpp>
#include <inlay/plan/access/collapse.hpp>
#include <inlay/plan/cost.hpp>

namespace inlay::inline INLAY_ABI {

struct ElementwiseProblem {
    index_t rows = 0, width = 0;    ///< of the result, its axes joined where that may be; no rows: there is no work
    int lanes = 8;                  ///< elements of a chunk
    int at_once = 1;                ///< neighbouring chunks of a thread
    double bytes = 0;               ///< moved, each tensor once

    constexpr index_t chunks() const { return rows * ((width + lanes - 1) / lanes); }
    /// Threads that have work.
    constexpr index_t threads() const { return rows * ((width + lanes * at_once - 1) / (lanes * at_once)); }
};

/// Neighbouring chunks of a thread, at most: of an expression that computes over pieces, as rotary embeddings do, the
/// places of leaves take more instructions than values, and are found once for all of them. On an H200 one of 67
/// million elements takes 122 µs in place of 218; under 2^18 chunks too few threads are left.
template <class E>
inline constexpr int most_chunks_of_thread =
    detail::has_pieces<typename flatten<E>::values> && operations_of<E> > 0 ? 4 : 1;

/// The problem. Joins axes of e and of the tensors of `in` and `sink` where they lie like one.
template <int R, class In, class Sink>
ElementwiseProblem elementwise_problem(Extents<R>& e, In& in, Sink& sink) {
    if (count(e) == 0) return {};
    if constexpr (collapsible<Sink, In>) collapse(e, sink, in);
    constexpr int lanes = sink_lanes<Sink>;
    ElementwiseProblem p{count(e) / e.back(0), e.back(0), lanes, 1,
                         read_bytes(in, count(e)) + 16.0 / lanes * static_cast<double>(count(e))};
    if (p.chunks() >= index_t(1) << 18) p.at_once = most_chunks_of_thread<typename In::expression>;
    return p;
}

enum class ElementwiseEngine {
    host,       ///< of the CPU
    chunks,     ///< a chunk a thread, or some
};
inline constexpr int elementwise_engines = 2;

struct ElementwiseDecision {
    static constexpr int threads = 256;     ///< of a block

    ElementwiseEngine engine = ElementwiseEngine::chunks;
    index_t blocks = 0;
    double cost_us = 0;                     ///< 0 where nothing is known of the target's rates
    const char* why_not[elementwise_engines] = {};  ///< of each engine that does not run it

    constexpr const char* why(ElementwiseEngine e) const { return why_not[static_cast<int>(e)]; }
};

constexpr ElementwiseDecision decide(const ElementwiseProblem& p, const TargetInfo& t) {
    ElementwiseDecision d;
    const auto refuse = [&](ElementwiseEngine e, const char* why) { d.why_not[static_cast<int>(e)] = why; };
    if (t.name == host_target.name) {
        d.engine = ElementwiseEngine::host;
        refuse(ElementwiseEngine::chunks, "the target is a CPU");
        return d;
    }
    refuse(ElementwiseEngine::host, "the target is a GPU");
    d.blocks = (p.threads() + ElementwiseDecision::threads - 1) / ElementwiseDecision::threads;
    d.cost_us = roofline_us(t, 0, 0, p.bytes);
    return d;
}

/// "1600 blocks of 256 threads, each a chunk of 8 elements".
inline Text text(const ElementwiseProblem& p, const ElementwiseDecision& d) {
    if (d.engine == ElementwiseEngine::host) return "one pass over rows";
    return decimal_text(d.blocks) + " blocks of " + decimal_text(d.threads) + " threads, each " +
           (p.at_once > 1 ? decimal_text(p.at_once) + " chunks of " : Text("a chunk of ")) + decimal_text(p.lanes) +
           " elements";
}

}  // namespace inlay::inline INLAY_ABI
