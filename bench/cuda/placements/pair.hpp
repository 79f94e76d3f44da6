// SPDX-License-Identifier: Apache-2.0
/// Placements of a layer: covers of its kernels, each with its price for a shape, and built for a GPU. One program for
/// each family of layers defines `pairs`; `main.cu` times them.
#pragma once

#include <inlay/exec/cuda.hpp>

#include <functional>
#include <string>
#include <vector>

namespace inlay_bench {

using namespace inlay;

/// A placement, built for a shape: copies of the layer with weights and inputs of their own.
struct BuiltPlacement {
    int copies = 0;
    std::function<void(int)> run;                   ///< copy i, on the executor's stream
    std::function<std::vector<float>()> result;     ///< of copy 0, once it ran
};
struct Placement {
    std::string name;
    int kernels = 0;            ///< of a step
    double predicted_us = 0;    ///< of a step, by the prices for the pair's shape
    std::function<BuiltPlacement(Cuda&)> build;
};
/// A layer and a shape. `planned_us`: the price of the cover that the planner finds for this shape.
struct Pair {
    std::string layer, shape;
    double planned_us = 0;
    std::vector<Placement> placements;
};
/// The pairs of this program, and the name of its results.
extern const char* const suite;
std::vector<Pair> pairs();

}  // namespace inlay_bench
