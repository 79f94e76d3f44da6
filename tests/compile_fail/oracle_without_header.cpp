// SPDX-License-Identifier: Apache-2.0
// The oracle without its header
// g++: 'Oracle' in namespace 'inlay' does not name a type
// clang++-19: no type named 'Oracle' in namespace 'inlay'
// nvcc: namespace "inlay" has no member "Oracle"
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
#include <inlay/exec/oracle.hpp>
inlay::Oracle oracle;
#else
inlay::Oracle oracle;
#endif
