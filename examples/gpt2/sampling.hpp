// SPDX-License-Identifier: Apache-2.0
/// The choice of tokens that the options name.
#pragma once

#include "options.hpp"

#include <inlay/model/gpt2/sampling.hpp>

/// Of a row: each has a seed of its own, so that it is the text that a run with this seed alone prints.
inline inlay::model::Sampling sampling_of(const Options& o, int row) {
    return {.temperature = o.temperature,
            .top_k = o.top_k,
            .top_p = o.top_p,
            .repetition_penalty = o.repetition_penalty,
            .seed = o.seed.value_or(0) + static_cast<std::uint64_t>(row)};
}
/// True if top-k or top-p leave tokens out.
inline bool is_restricted(const Options& o) { return o.temperature > 0 && (o.top_k > 0 || o.top_p < 1); }
/// True if each token is the most likely one of the bare logits.
inline bool is_greedy(const Options& o) { return o.temperature == 0 && o.repetition_penalty == 1; }
