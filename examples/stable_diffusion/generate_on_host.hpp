// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executors.hpp"
#include "generate.hpp"

#include <inlay/exec/host.hpp>

/// The units of the path, one for each storage type.
Generate generate_f32, generate_f16, generate_bf16;
Explain explain_f32, explain_f16, explain_bf16;

template <inlay::Storage T>
std::filesystem::path generate_on_host(const Options& options) {
    using inlay::Host;
    Host host(options.threads);
    std::function<std::function<void(Host&, const void*, void*, std::size_t)>()> connect;
    if (options.splits_guidance())
        connect = [ranks = options.ranks] {
            const int peer = ranks->rank() ^ 1;
            return [=](Host&, const void* mine, void* others, std::size_t bytes) {
                ranks->exchange(mine, others, bytes, peer);
            };
        };
    return Generator<T, Host>(host, options, connect).generate([] { return ""; });
}
template <inlay::Storage T>
std::string explain_on_host(const Options& options) {
    inlay::Host host(1);
    return Generator<T, inlay::Host>(host, options).explain();
}
