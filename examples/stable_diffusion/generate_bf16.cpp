// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

std::filesystem::path generate_bf16(const Options& options, const inlay::io::Checkpoint& checkpoint) {
    return Generator<inlay::bf16>(options, checkpoint).generate();
}
std::string explain_bf16(const Options& options, const inlay::io::Checkpoint& checkpoint) {
    return Generator<inlay::bf16>(options, checkpoint).explain();
}
