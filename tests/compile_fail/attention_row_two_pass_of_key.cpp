// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*TwoPass is of a number: it stands over reductions of scores
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/online.hpp>

using namespace inlay;

void wrong() { static_cast<void>(online::Recurrence<KeySum<Mul<TwoPass<Score>, Values>>>{}); }
