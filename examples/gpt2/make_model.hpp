// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

/// Writes a folder as transformers does: `kind` is tiny, 124m or 355m; weights are seeded, and every id of the
/// vocabulary is a token of letters or bytes.
void make_model(const std::string& kind, const std::filesystem::path& folder, std::uint64_t seed,
                const std::string& dtype);
