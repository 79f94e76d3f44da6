// SPDX-License-Identifier: Apache-2.0
/// The options of inlay-gpt2.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

struct GpuExecutors;

struct Options {
    std::filesystem::path model, make_dir;
    std::optional<std::string> prompt;
    std::string dtype = "fp32", device = "auto", token_by = "graph", make, target;
    int tokens = 64, tokens_a_launch = 16, top_k = 0, batch = 1, threads = 0, replays = 0,
        prompt_replays = 0, chunk = 128;
    double temperature = 0, top_p = 1, repetition_penalty = 1;
    std::optional<std::uint64_t> seed;  ///< none: random
    bool explain = false, quiet = false, log_probabilities = false;

    std::shared_ptr<const GpuExecutors> executors;  ///< from `device`: null for the CPU
    int gpu = 0;                               ///< its number among them
};

/// Set by Ctrl-C; a run stops after its token, or those of its launch.
extern std::atomic<bool> interrupted;
