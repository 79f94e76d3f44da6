// SPDX-License-Identifier: Apache-2.0
/// `cuda_placements_images`: the ResNet blocks of SD1.5's VAE, and the upsampling of both networks.
#include "placements.hpp"
#include "resnet.hpp"
#include "upsample.hpp"

namespace inlay_bench {

const char* const suite = "placements_images";

namespace {

using enum placed::ResNetPlace;
using placed::resnet_plan;

struct Inputs {
    index_t batch, side, c;

    auto take(Arena& a) const { return std::make_tuple(Temporary<fp16, 4>(a, {{batch, side, side, c}})); }
};

Pair block(index_t side, index_t c) {
    const planner::Lengths lengths{8, {1, side, side, c, c, c, c, 50}};
    return PairOf("vae_resnet", shape_text(1, side, side, c), lengths, Inputs{1, side, c})
        .add<resnet_plan<nn::resnet_same<false, 1e-6>>>("planned")
        .add<resnet_plan<placed::resnet_same<silu_in_convolutions, false, 1e-6>>>("SiLU in convolutions")
        .add<resnet_plan<placed::resnet_same<sum_apart, false, 1e-6>>>("residual apart");
}
Pair upsample(index_t batch, index_t side, index_t c) {
    return PairOf("upsample", shape_text(batch, side, side, c), planner::Lengths{4, {batch, side, side, c}},
                  Inputs{batch, side, c})
        .add<nn::Upsample<fp16>::plan>("planned")
        .add<placed::upsample_plan<false>>("pixels read where they lie")
        .add<placed::upsample_plan<true>>("upsampled apart");
}

}  // namespace

std::vector<Pair> pairs() {
    return {block(64, 512),      block(128, 512),      block(256, 256),      block(512, 128),
            upsample(2, 8, 1280), upsample(2, 16, 1280), upsample(2, 32, 640), upsample(1, 64, 512),
            upsample(1, 128, 512), upsample(1, 256, 256)};
}

}  // namespace inlay_bench
