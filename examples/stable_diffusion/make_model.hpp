// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.hpp"

/// Writes a synthetic model folder in diffusers' layout: `kind` is tiny or sd15; weights are seeded and scaled so that
/// activations stay healthy and the predicted noise has about unit variance; the vocabulary is of bytes.
void make_model(const std::string& kind, const std::filesystem::path& folder, std::uint64_t seed,
                const std::string& dtype);
