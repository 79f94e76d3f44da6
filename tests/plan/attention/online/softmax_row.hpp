// SPDX-License-Identifier: Apache-2.0
/// The reductions of softmax, on which parts of a recurrence are tried.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/keys.hpp>
#include <inlay/expr/unary.hpp>

namespace inlay_test {

using Top = inlay::KeyMax<inlay::Score>;
using Weight = inlay::Exp<inlay::Sub<inlay::Score, Top>>;
using Total = inlay::KeySum<Weight>;
using Vector = inlay::KeySum<inlay::Mul<Weight, inlay::Values>>;

}  // namespace inlay_test
