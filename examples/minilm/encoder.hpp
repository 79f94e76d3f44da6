// SPDX-License-Identifier: Apache-2.0
/// A sentence encoder: embeddings of tokens, planned layers, the mean of a sentence's tokens, scaled to length 1.
#pragma once

#include "config.hpp"
#include "layers.hpp"

#include <inlay/nn/build.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>

#include <vector>

namespace minilm {

using namespace inlay;

/// Sentences [N, tokens of the longest], and the tensors that go with them.
struct Batch {
    Tensor<const std::int32_t, 2> ids;
    Tensor<const std::int32_t, 1> positions, segment;   ///< 0, 1, … of the longest; 0, of one sentence
    Tensor<const float, 1> lengths;                     ///< tokens of each
};

/// D: columns of a head.
template <int D>
class Encoder {
public:
    template <class L>
    Encoder(const L& load, const Config& c)
        : embeddings_(load / "embeddings", {6, {0, 0, c.hidden, c.vocabulary, c.positions, c.types}}) {
        for (int i = 0; i < c.layers; ++i)
            layers_.emplace_back(load / "encoder" / "layer" / i, planner::Lengths{4, {0, 0, c.hidden, c.intermediate}});
    }

    /// [N, 1, hidden].
    template <class Target>
    Temporary<float, 3> build(const nn::Build<float, Target>& b, const Batch& batch) const {
        const index_t n = batch.ids.extents[0];
        auto x = embeddings_.build(b / "embeddings", batch.ids, batch.positions, batch.segment);
        for (std::size_t i = 0; i < layers_.size(); ++i)
            x = layers_[i].build(b / "layer" / static_cast<int>(i), *x, reshaped(batch.lengths, n, 1, 1, 1));
        return pooling_.build(b / "pooling", *x, reshaped(batch.lengths, n, 1, 1));
    }

private:
    nn::Planned<PlanOf<embeddings, 30522, 512, 2>, float> embeddings_;
    std::vector<nn::Planned<PlanOf<encoder_layer<D>, 1536>, float>> layers_;
    nn::Planned<PlanOf<pooling>, float> pooling_;
};

}  // namespace minilm
