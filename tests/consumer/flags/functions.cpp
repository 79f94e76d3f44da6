// SPDX-License-Identifier: Apache-2.0
/// Functions that no flag of floating point may change, against the C library's doubles: to their stated ulp, and NaN,
/// infinity and zeros by their bits.
#include "check.hpp"

#include <inlay/core/vec.hpp>

#include <algorithm>
#include <cmath>

using namespace inlay;

namespace {

/// The worst error of f on [low, high] is at most `ulps`.
template <class F, class E>
void within(const char* name, double ulps, double low, double high, F f, E exact) {
    double worst = 0, value = 0, expected = 0;
    for (int i = 0; i < 4096; i += host_lanes) {
        float x[host_lanes], y[host_lanes];
        for (int j = 0; j < host_lanes; ++j) x[j] = static_cast<float>(low + (high - low) * (i + j) / 4095);
        f(fvec::load(x)).store(y);
        for (int j = 0; j < host_lanes; ++j) {
            const double e = exact(static_cast<double>(x[j]));
            const double ulp = std::ldexp(1.0, (e == 0 ? 0 : std::max(std::ilogb(e), -126)) - 23);
            const double off = std::abs(static_cast<double>(y[j]) - e) / ulp;
            if (!(off <= worst)) worst = off, value = static_cast<double>(y[j]), expected = e;
        }
    }
    check(worst <= ulps, name, value, expected);
}

/// f of the float with these bits, in a vector, has the expected bits, or is some NaN.
template <class F>
void exactly(const char* name, std::uint32_t from, std::uint32_t expected, F f) {
    float y[host_lanes];
    f(fvec(of_bits(from))).store(y);
    const bool ok = expected == nan_bits ? is_nan(y[0]) : bits_of(y[0]) == expected;
    check(ok, name, static_cast<double>(y[0]), static_cast<double>(of_bits(expected)));
}

void functions() {
    const auto exp = [](auto x) { return math::exp(x); };
    const auto log = [](auto x) { return math::log(x); };
    const auto tanh = [](auto x) { return math::tanh(x); };
    const auto erf = [](auto x) { return math::erf(x); };
    const auto floor = [](auto x) { return math::floor(x); };
    const auto inverse = [](auto x) { return 1.f / x; };
    within("exp", 1.0, -87, 88, exp, [](double x) { return std::exp(x); });
    within("exp near 0", 1.0, -1, 1, exp, [](double x) { return std::exp(x); });
    within("exp2", 1.0, -125, 127, [](auto x) { return math::exp2(x); }, [](double x) { return std::exp2(x); });
    within("log near 1", 1.0, 0.01, 5, log, [](double x) { return std::log(x); });
    within("log", 1.0, 1, 1e30, log, [](double x) { return std::log(x); });
    within("tanh", 1.5, -12, 12, tanh, [](double x) { return std::tanh(x); });
    within("erf", 1.5, -5, 5, erf, [](double x) { return std::erf(x); });
    within("floor", 0, -50, 50, floor, [](double x) { return std::floor(x); });
    within("1 / x", 0.5, 0.01, 10, inverse, [](double x) { return 1 / x; });
    within("sqrt", 0.5, 0.01, 10, [](auto x) { return math::sqrt(x); }, [](double x) { return std::sqrt(x); });
    within("rsqrt", 1.5, 0.01, 10, [](auto x) { return math::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); });
    exactly("exp(NaN)", nan_bits, nan_bits, exp);
    exactly("exp(inf)", infinity_bits, infinity_bits, exp);
    exactly("exp(-inf)", minus | infinity_bits, 0, exp);
    exactly("exp(-0)", minus, one_bits, exp);
    exactly("log(NaN)", nan_bits, nan_bits, log);
    exactly("log(0)", 0, minus | infinity_bits, log);
    exactly("log(-1)", minus | one_bits, nan_bits, log);
    exactly("log(inf)", infinity_bits, infinity_bits, log);
    exactly("tanh(NaN)", nan_bits, nan_bits, tanh);
    exactly("tanh(inf)", infinity_bits, one_bits, tanh);
    exactly("tanh(-0)", minus, minus, tanh);
    exactly("erf(-inf)", minus | infinity_bits, minus | one_bits, erf);
    exactly("erf(-0)", minus, minus, erf);
    exactly("floor(-0)", minus, minus, floor);
    exactly("1 / 0", 0, infinity_bits, inverse);
    exactly("1 / -0", minus, minus | infinity_bits, inverse);
    exactly("-0", 0, minus, [](auto x) { return -x; });
}

}  // namespace

int main() {
    functions();
    return failures ? 1 : 0;
}
