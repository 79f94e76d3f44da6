// SPDX-License-Identifier: Apache-2.0
// expect: a sentence that no compiler prints
// A wrong program with another error than it states: the harness must report the difference.
#include <inlay/core/extents.hpp>

static_assert(inlay::Extents<2>::rank == 3, "the rank is not 3");
