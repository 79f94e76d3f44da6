// SPDX-License-Identifier: Apache-2.0
/// Sentences of errors, for tests that need nothing else of frame/check.hpp.
#pragma once

#include <inlay/core/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace inlay_test {

/// The sentence of the error that `f` throws; empty when it does not.
template <class F>
std::string sentence(F&& f) {
    try {
        f();
    } catch (const inlay::Error& e) {
        return e.what();
    }
    return "";
}

/// The sentence of `f` ends so.
template <class F>
void expect_sentence(const std::string& end, F&& f) {
    const std::string said = sentence(f);
    EXPECT_TRUE(said.starts_with("inlay: ") && said.ends_with(end)) << said << "\nexpected: " << end;
}

}  // namespace inlay_test
