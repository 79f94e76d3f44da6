// SPDX-License-Identifier: Apache-2.0
/// Calls the units of the program, UNITS(X) = X(name) X(name)…, and catches the error of each.
#include <inlay/core/error.hpp>

#include <cstdio>
#include <cstring>
#include <typeinfo>

#define DECLARE(unit) \
    int unit();       \
    void unit##_throws();
UNITS(DECLARE)

namespace {
int failures = 0;

void check(const char* unit, int wrong, void (*throws)()) {
    const bool rtti = !std::strstr(unit, "no_rtti");
    bool caught = false;
    try {
        throws();
    } catch (const inlay::Error& e) {
        // Looks the type up, which a unit without RTTI would have left out.
        caught = rtti && typeid(static_cast<const std::exception&>(e)) == typeid(inlay::Error);
    } catch (const std::exception& e) {
        caught = !rtti && std::strstr(e.what(), "inlay: ") == e.what();
    }
    if (wrong || !caught)
        std::printf("%s: %d values are wrong, its error is%s caught\n", unit, wrong, caught ? "" : " not");
    failures += wrong || !caught;
}
}  // namespace

int main() {
#define CHECK(unit) check(#unit, unit(), unit##_throws);
    UNITS(CHECK)
    return failures ? 1 : 0;
}
