// SPDX-License-Identifier: Apache-2.0
/// Counts every allocation of a test program by replacing operator new, in allocations.cpp.
#pragma once

#include <cstddef>

namespace inlay_test {

std::size_t allocations();

}  // namespace inlay_test
