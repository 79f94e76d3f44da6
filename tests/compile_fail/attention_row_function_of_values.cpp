// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*BlockingTerm, a function of it, belongs into the expression of V
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/online.hpp>

using namespace inlay;

void wrong() { static_cast<void>(online::Recurrence<KeySum<Mul<Exp<Score>, Exp<Values>>>>{}); }
