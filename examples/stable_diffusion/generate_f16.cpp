// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

std::filesystem::path generate_f16(const Options& options, const inlay::io::Checkpoint& checkpoint) {
    return Generator<inlay::half>(options, checkpoint).generate();
}
std::string explain_f16(const Options& options, const inlay::io::Checkpoint& checkpoint) {
    return Generator<inlay::half>(options, checkpoint).explain();
}
