// SPDX-License-Identifier: Apache-2.0
/// The vendor's runtime: the one way from `tile/gpu` to it. A vendor supplies a `Launcher` and the description of a
/// launch, under the same names.
#pragma once

#include <inlay/tile/cuda/runtime/launcher.hpp>
