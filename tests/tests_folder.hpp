// SPDX-License-Identifier: Apache-2.0
/// The path of this folder. The path stands in one unit alone, so that a cache of compiled units serves every clone.
#pragma once

#include <string>

namespace inlay_test {

/// The variable INLAY_TESTS_DIR, or where the tests were built from.
std::string tests_folder();

}  // namespace inlay_test
