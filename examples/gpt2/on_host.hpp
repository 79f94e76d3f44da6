// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling.hpp"
#include "texts.hpp"

#include <inlay/exec/host.hpp>
#include <inlay/report/explain_program.hpp>
#include <inlay/report/persistent/decoder.hpp>

#include <string_view>

/// The units of the path, one for each storage type.
Open open_f32, open_f16, open_bf16;
Explain explain_f32, explain_f16, explain_bf16;

template <inlay::Storage T>
std::unique_ptr<Texts> open_on_host(const Options& o, int capacity) {
    return std::make_unique<TextsOn<T, inlay::Host>>(o.threads, o, capacity);
}

/// The persistent program of a token at the last position, where the model and the target have one.
template <inlay::Storage T>
std::string explain_persistent(const Options& o, const inlay::model::Gpt2Config& c, const inlay::TargetInfo& target) {
    using namespace inlay;
    const persistent::DecoderShape shape{c.hidden, c.heads, c.inner, c.vocabulary, c.positions};
    std::string text;
    const auto explain = [&]<class Listed>() {
        using S = persistent::SizesOf<Listed, sizeof(T)>;
        const int layers = static_cast<int>(c.layers), last = S::positions - 1;
        using enum persistent::TokenChoice;
        const auto report = [&]<class Sizes>(Sizes) {
            const auto of = [&]<persistent::TokenChoice C>() {
                return persistent::decoder_report<Sizes, C>(layers, last, target.units, o.batch);
            };
            return is_greedy(o)       ? of.template operator()<greedy>()
                   : is_restricted(o) ? of.template operator()<restricted>()
                                      : of.template operator()<sampled>();
        };
        persistent::Report r = o.batch > 1 ? report(persistent::InBatches<S>{}) : report(S{});
        if (o.token_by == "phases") r.by_phases(is_greedy(o) ? 1 : 3);
        text = persistent::explain(r, target);
    };
    const bool of_nvidia = target.matrix == MatrixUnit::mma && target.units > 0;
    const bool has_batch = o.batch <= persistent::most_sequences(sizeof(T));
    if (has_batch && of_nvidia && persistent::with_sizes(shape, explain)) return "\n" + text;
    return "";
}

template <inlay::Storage T>
std::string explain_on_host(const Options& o) {
    using namespace inlay;
    Host host(1);
    const io::Gpt2Checkpoint checkpoint = io::open_gpt2(o.model);
    const auto shape = model::Loaded<model::Gpt2<T>, Host>::from(static_cast<const io::Weights*>(nullptr), host,
                                                                 checkpoint.config, "");
    const model::Gpt2Session<T, Host> session(
        host, shape.network, {.batch = o.batch, .capacity = checkpoint.config.positions}, false);
    auto token = session.token_program().launches();
    for (const KernelReport& last : session.logits_program().launches()) token.push_back(last);
    const TargetInfo& target = target_named(std::string_view(o.target));
    std::string text = explain_program(token, target);
    text += "\nPrompts take the same " + std::to_string(session.prompt_program().launches().size()) +
            " kernels of the layers for each " + std::to_string(session.options().chunk) +
            " tokens of a row, and those of the logits once behind the last.\n";
    return text + explain_persistent<T>(o, checkpoint.config, target);
}
