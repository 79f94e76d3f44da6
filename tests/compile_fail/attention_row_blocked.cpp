// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*BlockingTerm joins the key and a reduction in a way that is no product of a factor of each
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/online.hpp>

using namespace inlay;

void wrong() { static_cast<void>(online::Recurrence<KeySum<Exp<Mul<Score, KeyMax<Score>>>>>{}); }
