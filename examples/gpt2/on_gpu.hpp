// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <inlay/exec/graph.hpp>

#include "texts.hpp"

template <inlay::Storage T>
std::unique_ptr<Texts> open_on_gpu(const Options& o, int capacity) {
    return std::make_unique<TextsOn<T, inlay::DeviceTarget>>(o.gpu, o, capacity);
}
