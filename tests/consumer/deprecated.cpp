// SPDX-License-Identifier: Apache-2.0
// A use of a name that is marked by INLAY_DEPRECATED, as a type, a function and an alias. g++ 12 is silent about an
// alias of a template.
#include <inlay/version.hpp>

struct INLAY_DEPRECATED("0.2", "Kernel") OldKernel {};
INLAY_DEPRECATED("0.2", "launch()") inline int start() { return 0; }
using OldSlot INLAY_DEPRECATED("0.3", "Buf") = int;

static_assert(INLAY_VERSION >= 100);

int main() {
    OldKernel kernel;
    static_cast<void>(kernel);
    const OldSlot slot = start();
    return slot;
}
