// SPDX-License-Identifier: Apache-2.0
#include "tests_folder.hpp"

#include <cstdlib>

namespace inlay_test {

std::string tests_folder() {
    const char* folder = std::getenv("INLAY_TESTS_DIR");
    return folder ? folder : INLAY_TESTS_DIR;
}

}  // namespace inlay_test
