// SPDX-License-Identifier: Apache-2.0
/// A frame of a case: prepared and run on the outside check's one device. False where it throws, with the sentence.
#pragma once

#include <inlay/exec/hip.hpp>
#include <inlay/inlay.hpp>

#include <cstdio>
#include <exception>

namespace outside {

template <class K, class... A>
bool runs(const A&... arguments) {
    try {
        inlay::Hip gpu;
        inlay::prepare<K>(arguments...).run(gpu);
        gpu.synchronize();
        return true;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return false;
    }
}

}  // namespace outside
