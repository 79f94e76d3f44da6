// SPDX-License-Identifier: Apache-2.0
/// Launches of kernels in the tests of the emulator, and the expected sentence of a wrong one.
#pragma once

#include <inlay/tile/gpu/runtime/launcher.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace emulator_test {

using namespace inlay;
using namespace inlay::on_gpu;

/// An array in device memory.
template <class T>
struct Device {
    T* p;
    std::size_t n;

    explicit Device(const std::vector<T>& v) : n(v.size()) {
        p = static_cast<T*>(allocate(n * sizeof(T)));
        api::copy_to_device(p, v.data(), n * sizeof(T), nullptr);
    }
    Device(const Device&) = delete;
    ~Device() { api::end_memory(p); }
    std::vector<T> get() const {
        std::vector<T> v(n);
        api::copy_to_host(v.data(), p, n * sizeof(T), nullptr);
        return v;
    }
};
using Floats = Device<float>;

/// 0, 1, 2, …
inline std::vector<float> counting(std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
    return v;
}

/// The error of a kernel's launch; empty if there is none.
template <class... P, class... A>
std::string error_of(const Grid& grid, void (*kernel)(P...), A&&... args) {
    Launcher l(0, nullptr);
    try {
        l.launch(grid, kernel, std::forward<A>(args)...);
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}
#define EXPECT_SAYS(error, text)                                                                           \
    do {                                                                                                   \
        const std::string said = error;                                                                    \
        EXPECT_NE(said.find(text), std::string::npos) << "it says '" << said << "', not '" << text << "'"; \
    } while (false)

}  // namespace emulator_test
