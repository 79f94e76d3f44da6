// SPDX-License-Identifier: Apache-2.0
/// The report of a decoder's persistent program: what its kernel (`tile/cuda/persistent/decoder.hpp`) reads, and how
/// its blocks share tiles.
#pragma once

#include <inlay/plan/persistent/decoder.hpp>
#include <inlay/plan/persistent/sizes.hpp>
#include <inlay/report/persistent/explain.hpp>

namespace inlay::inline INLAY_ABI::persistent {

/// Of a token of each of `batch` sequences at `position`, with so many keys before it, on `blocks` multiprocessors.
template <class S, TokenChoice C = TokenChoice::greedy>
Report decoder_report(int layers, int position, int blocks, int batch = 1) {
    using Model = Decoder<S, C>;
    using Step = typename Model::Step;
    constexpr double width = S::width, inner = S::inner, element = S::element_bytes / 2;
    Report r{.name = "decoder", .facts = Checked<Step>::facts, .rounds = layers, .blocks = blocks};
    r.storage = Model::Places::places.bytes;
    const int parts = parts_of<S>(batch, blocks);
    if (element == 4) r.name += " in fp32";
    if constexpr (S::batch > 1) {
        r.name += " of " + std::to_string(batch) + " sequences";
        for (int b = 0; b < r.facts.buffer_count; ++b)
            if (!r.facts.buffers[b].kept) r.facts.buffers[b].bytes = r.facts.buffers[b].bytes / S::batch * batch;
        int& of_parts = r.facts.buffers[buffer_number<Step, typename Model::Parts>].bytes;
        of_parts = of_parts / S::parts * parts;
    }
    const auto phase = [&]<class Phase>(double elements, int together) {
        r.memory[phase_number<Step, Phase>] = elements * element;
        r.together[phase_number<Step, Phase>] = together;
    };
    // Pairs of columns, a word in 16 bits, are one block's; norms have a scale and a shift, products a bias.
    phase.template operator()<typename Model::Embed>(2 * width * batch, 2);
    phase.template operator()<typename Model::Qkv>(3 * width * width + 3 * width + 2 * width, 2);
    phase.template operator()<typename Model::Attend>(2.0 * position * width * batch, 1);
    phase.template operator()<typename Model::Project>(width * width + width, 2);
    phase.template operator()<typename Model::Up>(inner * width + inner + 2 * width, 2);
    phase.template operator()<typename Model::Down>(width * inner + width, 2);
    phase.template operator()<typename Model::Vocabulary>(S::vocabulary * width + 2 * width, 1);
    if constexpr (C != TokenChoice::greedy) {  // logits and their sums stay in the second-level cache
        phase.template operator()<typename Model::Weigh>(0, 1);
        phase.template operator()<typename Model::Choose>(0, 1);
    }
    r.facts.phases[phase_number<Step, typename Model::Attend>].tiles =
        S::heads * batch * parts_at<S>(position, parts);
    return r;
}

}  // namespace inlay::inline INLAY_ABI::persistent
