// SPDX-License-Identifier: Apache-2.0
// expect: inlay: cast<T>\(x\) rounds to a type that tensors store, such as cast<bf16>\(x\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return cast(buf<0>); }
