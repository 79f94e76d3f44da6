// SPDX-License-Identifier: Apache-2.0
/// Latents to pictures by a decoder alone, outside a pipeline: for latents of another storage type's run.
#pragma once

#include <inlay/model/vae.hpp>

#include <span>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

/// latents [B, h, w, C] as a sampler leaves them → pictures [B, 8h, 8w, 3], unclipped, nominally in [−1, 1]. Allocates
/// what the decoder needs, and waits for the result. Throws when `latents` holds another number of values than `e`.
template <Storage T, class Target>
std::vector<float> decode(Target& target, const VaeDecoder<T>& vae, std::span<const float> latents,
                          const Extents<4>& e) {
    const std::size_t n = dense_bytes<float>(e) / sizeof(float);
    require(latents.size() == n, "the decoder takes ", n, " latents, not ", latents.size());
    const index_t scale = vae.config().scale();
    const Extents<4> picture{{e[0], e[1] * scale, e[2] * scale, vae.config().out_channels}};
    const auto build = [&](Arena& arena, Program<Target>& program) {
        const Tensor<float, 4> from(static_cast<float*>(arena.take(sizeof(float) * latents.size())), e);
        const Tensor<float, 4> to(static_cast<float*>(arena.take(dense_bytes<float>(picture))), picture);
        vae.build(nn::Build<T, Target>{&program, &arena, ""}, from, to);
        return std::pair(from, to);
    };
    Arena measure;
    Program<Target> unused, program;
    build(measure, unused);
    auto memory = target.allocate(measure.measured());
    Arena arena(memory.data(), memory.size());
    const auto [from, to] = build(arena, program);
    target.upload(from.data, latents.data(), latents.size_bytes());
    program.run(target);
    std::vector<float> out(static_cast<std::size_t>(to.size()));
    target.download(out.data(), to.data, sizeof(float) * out.size());
    return out;
}

}  // namespace inlay::inline INLAY_ABI::model
