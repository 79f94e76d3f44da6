// SPDX-License-Identifier: Apache-2.0
/// The vendor's instructions: the one way from `tile/gpu` to them. A vendor supplies the functions of these headers
/// under the same names; those that only an engine uses (matrices, clusters, copies of boxes) it includes itself.
#pragma once

#include <inlay/tile/cuda/isa/bits.hpp>
#include <inlay/tile/cuda/isa/block.hpp>
#include <inlay/tile/cuda/isa/convert.hpp>
#include <inlay/tile/cuda/isa/copy.hpp>
#include <inlay/tile/cuda/isa/grid.hpp>
#include <inlay/tile/cuda/isa/image.hpp>
#include <inlay/tile/cuda/isa/lanes.hpp>
#include <inlay/tile/cuda/isa/memory.hpp>
