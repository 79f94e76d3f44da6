// SPDX-License-Identifier: Apache-2.0
/// A planned layer on the CPU with what it needs to be built and run: weights by name, memory, a program.
#pragma once

#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace inlay_test::planned {

using namespace inlay;
namespace p = inlay::planner;

/// Element i of each weight is (i mod 7) − 3, over 4. Names are kept as they are read.
struct Numbers {
    mutable std::vector<std::string> read;

    static float at(index_t i) { return static_cast<float>(i % 7 - 3) / 4; }
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        read.push_back(name);
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        for (index_t i = 0; i < n; ++i) to[i] = to_storage<T>(at(i));
    }
};

template <class Plan>
struct OnHost {
    Host host;
    std::vector<float> memory = std::vector<float>(1 << 16), weight_memory = std::vector<float>(1 << 16);
    Arena temporaries{memory.data(), memory.size() * sizeof(float)},
        weights{weight_memory.data(), weight_memory.size() * sizeof(float)};
    Numbers source;
    nn::Loader<float, Numbers, Host> load{&source, host, weights};
    nn::Planned<Plan, float> layer;
    Program<Host> program;

    explicit OnHost(const p::Lengths& lengths = {}) : layer(load, lengths) {}
    nn::Build<float, Host> to(Program<Host>& in) { return {&in, &temporaries, ""}; }
    nn::Build<float, Host> to() { return to(program); }
    template <class... In>
    auto build(const In&... in) {
        return layer.build(to(), in...);
    }
};

template <class T, int R>
std::vector<float> numbers_of(const Tensor<T, R>& t) {
    return {t.data, t.data + t.size()};
}
template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

}  // namespace inlay_test::planned
