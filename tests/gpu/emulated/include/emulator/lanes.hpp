// SPDX-License-Identifier: Apache-2.0
/// Exchange between the lanes of a warp: shuffles, and numbers of all of them combined.
#pragma once

#include <emulator/machine.hpp>

#include <cstdint>
#include <cstring>

namespace emulator {

/// The value of a lane, the lane it reads, and the value it gets.
struct Exchange {
    std::uint64_t given;
    int from;
    std::uint64_t taken;
};
inline void exchange(Exchange* const* lanes, Lanes mask) {
    for (int i = 0; i < warp_lanes; ++i) {
        if (!lanes[i]) continue;
        const int from = lanes[i]->from;
        if (from < 0 || from >= warp_lanes || !(mask >> from & 1u))
            fail("lane ", i, " of a shuffle reads lane ", from, ", which does not take part");
        lanes[i]->taken = lanes[from]->given;
    }
}
template <class T>
T shuffle(const char* what, Lanes mask, const T& x, int from) {
    static_assert(sizeof(T) <= 8);
    Exchange e{0, from, 0};
    std::memcpy(&e.given, &x, sizeof x);
    meet<Exchange, exchange>(what, mask, e);
    T r;
    std::memcpy(&r, &e.taken, sizeof r);
    return r;
}

/// The value that all lanes have.
template <class T>
T uniform(const char* what, Lanes mask, const T& x) {
    const T first = shuffle(what, mask, x, 0);
    if (std::memcmp(&first, &x, sizeof x) != 0) fail(what, ": lane ", lane(), " and lane 0 have different values");
    return first;
}

/// An unsigned number of each lane, combined.
template <class F>
void combine(unsigned* const* lanes, Lanes) {
    bool some = false;
    unsigned all = 0;
    for (int i = 0; i < warp_lanes; ++i)
        if (lanes[i]) all = some ? F()(all, *lanes[i]) : *lanes[i], some = true;
    for (int i = 0; i < warp_lanes; ++i)
        if (lanes[i]) *lanes[i] = all;
}
template <class F>
unsigned combined(const char* what, Lanes mask, unsigned x) {
    meet<unsigned, combine<F>>(what, mask, x);
    return x;
}
struct Or {
    unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};
struct And {
    unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};
template <class T>
struct Least {
    unsigned operator()(unsigned a, unsigned b) const { return static_cast<T>(a) < static_cast<T>(b) ? a : b; }
};

}  // namespace emulator
