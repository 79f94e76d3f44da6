// SPDX-License-Identifier: Apache-2.0
/// The options of inlay-minilm, and the interface of the units that are compiled for each path (docs/host.md).
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/exec/host/paths.hpp>

#include <filesystem>
#include <string>
#include <vector>

struct Options {
    std::filesystem::path model, ids;
    std::vector<std::string> words;
    inlay::index_t batch = 16;
    int threads = 0;
    bool explain = false;
};

struct Embeddings {
    /// Prints a line for each sentence, or the kernels that would compute it.
    void (*run)(const Options& options);
};
INLAY_HOST_PATHS(Embeddings, embeddings)
