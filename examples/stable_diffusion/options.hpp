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

class Ranks;
struct GpuExecutors;
struct HostExecutor;

/// A picture to draw.
struct Drawing {
    std::string prompt, negative;
    std::uint64_t seed = 0;
    std::filesystem::path out;
};

struct Options {
    std::filesystem::path model, vae, tokenizer, scheduler_config, init, out = "out.png", make_dir, requests;
    std::string prompt, negative, scheduler = "ddim", dtype = "fp32", device = "auto", size = "512x512", make, target;
    std::string prediction;  ///< empty: the scheduler config's
    std::string split = "images";
    int steps = 50, batch = 1, threads = 0, replays = 0;
    int at_once = 0;         ///< images of the batch that a process draws together; 0: its share
    double guidance = 7.5, strength = 0.8;
    std::optional<std::uint64_t> seed;  ///< none: random
    bool explain = false, quiet = false;

    inlay::index_t width = 0, height = 0;       ///< from `size`
    std::shared_ptr<const GpuExecutors> executors;   ///< from `device`: null for the CPU
    int gpu = 0;                                ///< its number among them
    const HostExecutor* host = nullptr;         ///< the path of this run
    const Ranks* ranks = nullptr;               ///< the processes of this run
    int first = 0, images = 1;                  ///< of the batch, those that this process draws

    bool splits_guidance() const { return split == "guidance"; }
};

/// Thrown by a run that Ctrl-C stopped. Like all that passes between translation units of host and device code, no
/// type of Inlay's: those differ by the architectures a unit is compiled for.
struct Interrupted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Set by Ctrl-C; a run stops after its step.
extern std::atomic<bool> interrupted;
