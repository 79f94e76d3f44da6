// SPDX-License-Identifier: Apache-2.0
// A target that runs a kernel
// g++: 'class …Oracle' has no member named 'run'
// clang++-19: no member named 'run' in 'inlay::Oracle'
// nvcc: class "…Oracle" has no member "run"
#include <inlay/inlay.hpp>

#include <inlay/exec/oracle.hpp>

using namespace inlay;

template <class Kernel>
void run(Oracle& target, const Kernel& kernel) {
#ifdef RIGHT
    kernel.run(target);
#else
    target.run(kernel);
#endif
}
