// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a kernel is a type, which prepare binds to tensors: prepare<kernel>\(outputs, weights, tensors, scalars\)\.run\(cpu\)
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

struct kernel : Softmax<> {};
void wrong(Oracle& cpu) { kernel{}.run(cpu); }
