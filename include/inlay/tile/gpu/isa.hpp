// SPDX-License-Identifier: Apache-2.0
/// The vendor's instructions: the one way from `tile/gpu` to them. A vendor supplies the functions of these headers
/// under the same names; those that only an engine uses (matrices, clusters, copies of boxes) it includes itself.
#pragma once

#if defined(__HIP__)
#include <inlay/tile/hip/isa/bits.hpp>
#include <inlay/tile/hip/isa/block.hpp>
#include <inlay/tile/hip/isa/convert.hpp>
#include <inlay/tile/hip/isa/copy.hpp>
#include <inlay/tile/hip/isa/grid.hpp>
#include <inlay/tile/hip/isa/image.hpp>
#include <inlay/tile/hip/isa/language.hpp>
#include <inlay/tile/hip/isa/lanes.hpp>
#include <inlay/tile/hip/isa/memory.hpp>
#else
#include <inlay/tile/cuda/isa/bits.hpp>
#include <inlay/tile/cuda/isa/block.hpp>
#include <inlay/tile/cuda/isa/convert.hpp>
#include <inlay/tile/cuda/isa/copy.hpp>
#include <inlay/tile/cuda/isa/grid.hpp>
#include <inlay/tile/cuda/isa/image.hpp>
#include <inlay/tile/cuda/isa/language.hpp>
#include <inlay/tile/cuda/isa/lanes.hpp>
#include <inlay/tile/cuda/isa/memory.hpp>
#endif
