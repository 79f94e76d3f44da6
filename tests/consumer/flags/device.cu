// SPDX-License-Identifier: Apache-2.0
/// The functions of device code, one a kernel: `device.awk` reads what flags make of them.
#include <inlay/core/math.hpp>

namespace math = inlay::math;

#define KERNEL(name, value)                                          \
    extern "C" __global__ void name(float* p, float y, float z) {    \
        const float x = *p;                                          \
        *p = value;                                                  \
    }
KERNEL(add_, x + y)
KERNEL(fma_, x* y + z)
KERNEL(divide_, x / y)
KERNEL(sqrt_, math::sqrt(x))
KERNEL(exp_, math::exp(x))
KERNEL(log_, math::log(x))
KERNEL(tanh_, math::tanh(x))
KERNEL(erf_, math::erf(x))
KERNEL(sin_, math::sin(x))
KERNEL(max_, math::max(x, y))
KERNEL(min_, math::min(x, y))
KERNEL(select_, math::select(x, y, z))
