// SPDX-License-Identifier: Apache-2.0
/// The options of inlay-sd.
#pragma once

#include <inlay/core/extents.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

struct GpuExecutors;
struct HostExecutor;

struct Options {
    std::filesystem::path model, vae, tokenizer, scheduler_config, init, out = "out.png", make_dir;
    std::string prompt, negative, scheduler = "ddim", dtype = "fp32", device = "auto", size = "512x512", make, target;
    std::string prediction;  ///< empty: the scheduler config's
    int steps = 50, batch = 1, threads = 0, replays = 0;
    double guidance = 7.5, strength = 0.8;
    std::optional<std::uint64_t> seed;  ///< none: random
    bool explain = false, quiet = false;

    inlay::index_t width = 0, height = 0;       ///< from `size`
    std::shared_ptr<const GpuExecutors> executors;   ///< from `device`: null for the CPU
    int gpu = 0;                                ///< its number among them
    const HostExecutor* host = nullptr;         ///< the path of this run
};

/// Thrown by a run that Ctrl-C stopped. Like all that passes between translation units of host and device code, no
/// type of Inlay's: those differ by the architectures a unit is compiled for.
struct Interrupted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Set by Ctrl-C; a run stops after its step.
extern std::atomic<bool> interrupted;
