// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

std::filesystem::path generate_f32(const Options& options, const inlay::io::Checkpoint& checkpoint) {
    return Generator<float>(options, checkpoint).generate();
}
std::string explain_f32(const Options& options, const inlay::io::Checkpoint& checkpoint) {
    return Generator<float>(options, checkpoint).explain();
}
