// SPDX-License-Identifier: Apache-2.0
/// The shape of a GPT-2, as the config.json of Hugging Face gives it. Defaults: GPT-2 124M.
#pragma once

#include <inlay/core/extents.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

struct Gpt2Config {
    index_t vocabulary = 50257, positions = 1024, hidden = 768, layers = 12, heads = 12, inner = 3072;
    double norm_epsilon = 1e-5;
    std::string activation = "gelu_new";
    bool scale = true;             ///< scores are divided by √head_width()
    bool scale_by_layer = false;   ///< scores of layer i, from 0 on, are divided by i + 1 too
    bool tied = true;              ///< the logits' weights are the embeddings'; else `lm_head.weight`
    std::vector<std::int32_t> stop = {50256};  ///< tokens that end a text

    index_t head_width() const { return heads > 0 ? hidden / heads : 0; }
};

}  // namespace inlay::inline INLAY_ABI::model
