// SPDX-License-Identifier: Apache-2.0
/// A kernel that needs what a launch may need of a GPU: long sums of few outputs, in 8 parts, with workspace and
/// semaphores.
#pragma once

#include <frame/work.hpp>

namespace inlay_test {

struct in_parts : inlay::Linear<inlay::Buf<0>, inlay::Add<inlay::Out, inlay::Buf<1>>, inlay::Store<0>,
                                inlay::Tiled<32, 32, 32, 2, 8>> {};

struct InParts {
    Array<inlay::fp16, 2> x = normal<inlay::fp16>(1, 40, 2048), w = gaussian<inlay::fp16>(2, 0, 0.02, 48, 2048),
                          y = unwritten<inlay::fp16>(40, 48);
    Array<inlay::fp16, 1> b = normal<inlay::fp16>(3, 48);
    Placed<inlay::fp16, 2> in{x}, weight{w}, out{y};
    Placed<inlay::fp16, 1> bias{b};

    auto kernel() { return inlay::prepare<in_parts>(*out, *weight, *in, *bias); }
    /// Of the elements on the device, those that are NaN: all before a kernel ran.
    std::size_t unwritten_elements() {
        out.fetch();
        std::size_t n = 0;
        for (const inlay::fp16 v : y.v) n += std::isnan(static_cast<float>(v));
        return n;
    }
};

}  // namespace inlay_test
