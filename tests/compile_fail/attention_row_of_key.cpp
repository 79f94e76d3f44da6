// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*BlockingTerm is no reduction: outputs of attention read Score and Values inside of KeySum and KeyMax
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/online.hpp>

using namespace inlay;

void wrong() { static_cast<void>(online::Recurrence<Mul<Score, Values>>{}); }
