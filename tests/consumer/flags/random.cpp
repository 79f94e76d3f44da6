// SPDX-License-Identifier: Apache-2.0
/// 16384 random normals are torch's, bit for bit: their FNV-1a hash is that of tests/golden/random.json.
#include <inlay/model/random.hpp>

#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

int main() {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const float x : inlay::model::torch_randn(7, 16384, inlay::DType::f32)) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (bits >> shift & 0xffu)) * 0x100000001b3u;
    }
    constexpr std::uint64_t expected = 0xac0323b283b0c3d2u;
    if (hash != expected) std::printf("hash %016" PRIx64 ", expected %016" PRIx64 "\n", hash, expected);
    return hash == expected ? 0 : 1;
}
