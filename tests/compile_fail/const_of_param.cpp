// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Const<V> is of a number, such as Const<0\.5>
#include <inlay/inlay.hpp>

using namespace inlay;

using wrong = Const<param<0>>;
