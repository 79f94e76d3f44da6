// SPDX-License-Identifier: Apache-2.0
// A program without its header
// g++: 'Program' in namespace 'inlay' does not name a template type
// clang++-19: no template named 'Program' in namespace 'inlay'
// nvcc: namespace "inlay" has no member "Program"
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
#include <inlay/exec/program.hpp>
inlay::Program<Host> program;
#else
inlay::Program<Host> program;
#endif
