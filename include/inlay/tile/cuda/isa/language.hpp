// SPDX-License-Identifier: Apache-2.0
/// Words of a kernel's declaration.
#pragma once

/// A kernel's parameter that stays where it was passed, in memory of constants.
#define INLAY_GRID_CONSTANT const __grid_constant__

/// Threads of a kernel's blocks, and blocks on a multiprocessor at least, 0: any.
#define INLAY_LAUNCH_BOUNDS(threads, min_blocks) __launch_bounds__((threads), (min_blocks))
