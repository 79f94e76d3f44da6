// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <inlay/core/error.hpp>

#include <string>

/// The sentence of the error that `use()` throws, without the library's name; empty when it throws none.
template <class F>
std::string fault_of_gpu(const F& use) {
    try {
        use();
        return "";
    } catch (const inlay::Error& e) {
        const std::string text = e.what();
        return text.starts_with("inlay: ") ? text.substr(7) : text;
    }
}
