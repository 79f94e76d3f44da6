// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*a reduction over keys is of an expression such as Exp<Score>
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/online.hpp>

using namespace inlay;

void wrong() { static_cast<void>(online::Recurrence<KeySum<float>>{}); }
