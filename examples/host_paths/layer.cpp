// SPDX-License-Identifier: Apache-2.0
/// The units of the paths: all that is to run as the processor allows.
#include "layer.hpp"

#include <inlay/inlay.hpp>

namespace {

using namespace inlay;

struct layer : Linear<Gelu<Buf<0>>, Add<Out, Buf<1>>> {};

/// An object that is initialised by code: by that of the path which is chosen, when it is chosen.
const std::vector<float> bias = [] {
    std::vector<float> b;
    for (int i = 0; i < outputs; ++i) b.push_back(bias_of(i));
    return b;
}();

std::vector<float> run(const std::vector<float>& x, const std::vector<float>& w, int threads) {
    std::vector<float> y(rows * outputs);
    std::vector<fp16> stored;
    for (const float value : w) stored.push_back(to_storage<fp16>(value));
    Host host(threads);
    prepare<layer>(tensor(y.data(), rows, outputs), tensor(stored.data(), outputs, inputs),
                   tensor(x.data(), rows, inputs), tensor(bias.data(), outputs))
        .run(host);
    return y;
}

}  // namespace

INLAY_HOST_PATH(layer_here){.isa = host_isa, .run = run, .median = median_of};
