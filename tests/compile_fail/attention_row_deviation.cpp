// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*TwoPass<reduction> takes a pass more
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/online.hpp>

using namespace inlay;

void wrong() { static_cast<void>(online::Recurrence<KeySum<Mul<Sub<Score, KeySum<Score>>, Sub<Score, KeySum<Score>>>>>{}); }
