// SPDX-License-Identifier: Apache-2.0
/// The three networks of Stable Diffusion with their weights: converted and packed once, here, each into one block of
/// memory of exactly the size it needs.
#pragma once

#include <inlay/model/clip.hpp>
#include <inlay/model/unet.hpp>
#include <inlay/model/vae.hpp>
#include <inlay/model/vae_encoder.hpp>

#include <optional>
#include <string>

namespace inlay::inline INLAY_ABI::model {

struct Configs {
    ClipConfig clip;
    UNetConfig unet;
    VaeConfig vae;
};

/// A network and the memory its weights lie in.
template <class Network, class Target>
struct Loaded {
    typename Target::Memory memory;
    Network network;

    /// `source` null: shapes alone, nothing is read or allocated, and the network can be explained but not run.
    template <class Source, class Config>
    static Loaded from(const Source* source, Target& target, const Config& config, const std::string& prefix) {
        using T = typename Network::storage;
        Arena measure;
        Network shape(nn::Loader<T, Source, Target>(nullptr, target, measure, prefix), config);
        if (!source) return {{}, std::move(shape)};
        Loaded l{target.allocate(measure.measured()), {}};
        Arena arena(l.memory.data(), l.memory.size());
        l.network = Network(nn::Loader<T, Source, Target>(source, target, arena, prefix), config);
        target.synchronize();
        return l;
    }
};

template <Storage T, class Target>
struct Networks {
    Loaded<ClipText<T>, Target> clip;
    Loaded<UNet<T>, Target> unet;
    Loaded<VaeDecoder<T>, Target> vae;
    std::optional<Loaded<VaeEncoder<T>, Target>> encoder;  ///< image to image alone needs it

    /// Sources as `nn::Loader` takes them, with diffusers' names; null pointers give networks to explain only.
    template <class Source>
    Networks(Target& target, const Configs& c, const Source* text_encoder, const Source* unet_, const Source* vae_,
             bool with_encoder = false)
        : clip(Loaded<ClipText<T>, Target>::from(text_encoder, target, c.clip, "text_model.")),
          unet(Loaded<UNet<T>, Target>::from(unet_, target, c.unet, "")),
          vae(Loaded<VaeDecoder<T>, Target>::from(vae_, target, c.vae, "")) {
        if (with_encoder) encoder = Loaded<VaeEncoder<T>, Target>::from(vae_, target, c.vae, "");
    }

    std::size_t bytes() const {
        return clip.memory.size() + unet.memory.size() + vae.memory.size() + (encoder ? encoder->memory.size() : 0);
    }
};

}  // namespace inlay::inline INLAY_ABI::model
