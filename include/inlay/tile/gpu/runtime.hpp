// SPDX-License-Identifier: Apache-2.0
/// The vendor's runtime: the one way from `tile/gpu` to it. A vendor supplies, under the same names, the calls of its
/// runtime, what it says of a device, a device as decisions take a target, and the launch of a kernel;
/// `tile/gpu/runtime/` is written over them.
#pragma once

#if defined(__HIP__)
#include <inlay/tile/hip/runtime/api.hpp>
#include <inlay/tile/hip/runtime/device.hpp>
#include <inlay/tile/hip/runtime/launch.hpp>
#include <inlay/tile/hip/runtime/target.hpp>
#else
#include <inlay/tile/cuda/runtime/api.hpp>
#include <inlay/tile/cuda/runtime/device.hpp>
#include <inlay/tile/cuda/runtime/launch.hpp>
#include <inlay/tile/cuda/runtime/target.hpp>
#endif
