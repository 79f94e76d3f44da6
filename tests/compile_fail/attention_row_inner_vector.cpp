// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*BlockingTerm is a sum with Values below another reduction: it can only be an output
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/online.hpp>

using namespace inlay;

void wrong() { static_cast<void>(online::Recurrence<KeySum<Mul<Score, KeySum<Values>>>>{}); }
