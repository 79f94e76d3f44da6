// SPDX-License-Identifier: Apache-2.0
// expect: the rank is not 3
// expect-alone
// A wrong program with a second error: the harness must report it.
#include <inlay/core/extents.hpp>

static_assert(inlay::Extents<2>::rank == 3, "the rank is not 3");
static_assert(inlay::Extents<2>::rank == 4, "nor is it 4");
