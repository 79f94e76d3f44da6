// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "texts.hpp"

#include <inlay/exec/host.hpp>
#include <inlay/report/explain_program.hpp>

#include <string_view>

/// The units of the path, one for each storage type.
Open open_f32, open_f16, open_bf16;
Explain explain_f32, explain_f16, explain_bf16;

template <inlay::Storage T>
std::unique_ptr<Texts> open_on_host(const Options& o, int capacity) {
    return std::make_unique<TextsOn<T, inlay::Host>>(o.threads, o, capacity);
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
    std::string text = explain_program(token, target_named(std::string_view(o.target)));
    text += "\nPrompts take the same " + std::to_string(session.prompt_program().launches().size()) +
            " kernels of the layers for each " + std::to_string(session.options().chunk) +
            " tokens of a row, and those of the logits once behind the last.\n";
    return text;
}
