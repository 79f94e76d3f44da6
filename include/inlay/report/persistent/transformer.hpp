// SPDX-License-Identifier: Apache-2.0
/// The report of a spatial transformer's persistent program: what its tasks read, and how blocks share them.
#pragma once

#include <inlay/plan/persistent/transformer.hpp>
#include <inlay/report/persistent/explain.hpp>

namespace inlay::inline INLAY_ABI::persistent {

/// On `units` multiprocessors. Memory: weights, the image, which three phases read, and keys and values of the text.
inline Report transformer_report(const TransformerShape& s, int units) {
    using Model = AnyTransformer;
    const TransformerTasks tasks = transformer_tasks(s, units);
    Report r{.name = "spatial transformer", .facts = transformer_facts(s, tasks), .rounds = 1, .blocks = units};
    r.storage = place_buffers(r.facts, order_of(r.facts)).bytes;
    for (int& together : r.together) together = 1;
    const double c = s.channels, image = s.row_bytes();
    const auto reads = [&]<class Phase>(double weights, double bytes = 0) {
        r.memory[phase_number<Model::Step, Phase>] = weights * TransformerShape::element_bytes + bytes;
    };
    reads.operator()<Model::Measure>(0, image);
    reads.operator()<Model::Normalise>(2 * c, image);
    reads.operator()<Model::ProjectIn>(c * c + c);
    reads.operator()<Model::Norm1>(2 * c);
    reads.operator()<Model::Qkv>(3 * c * c);
    reads.operator()<Model::Out>(c * c + c);
    reads.operator()<Model::Norm2>(2 * c);
    reads.operator()<Model::Query>(c * c);
    reads.operator()<Model::AttendText>(2.0 * s.batch * s.text * c);
    reads.operator()<Model::OutText>(c * c + c);
    reads.operator()<Model::Norm3>(2 * c);
    reads.operator()<Model::Up>(8 * c * c + 8 * c);
    reads.operator()<Model::Down>(4 * c * c + c);
    reads.operator()<Model::ProjectOut>(c * c + c, image);
    return r;
}

}  // namespace inlay::inline INLAY_ABI::persistent
