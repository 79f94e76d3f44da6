// SPDX-License-Identifier: Apache-2.0
/// What a layer needs to become kernels: a program to append to, an arena for its intermediate tensors, its name.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/exec/program.hpp>

#include <string>
#include <utility>

namespace inlay::inline INLAY_ABI::nn {

template <Storage T, class Target>
struct Build {
    using storage = T;
    Program<Target>* program;
    Arena* arena;
    std::string name;

    Build operator/(const std::string& part) const { return {program, arena, name.empty() ? part : name + "." + part}; }
    Build operator/(int i) const { return *this / std::to_string(i); }

    template <class K, class... Args>
    void add(const std::string& part, const Args&... args) const {
        program->template add<K>(name.empty() ? part : name + "." + part, args...);
    }
    template <class... I>
    Temporary<T, sizeof...(I)> temporary(I... extents) const {
        return {*arena, {{static_cast<index_t>(extents)...}}};
    }
    template <int R>
    Temporary<T, R> like(const Tensor<T, R>& t) const {
        return {*arena, t.extents};
    }
};

/// The head dimensions attention is instantiated for.
template <class F>
void with_head_dim(index_t d, F&& f) {
    switch (d) {
        case 32: return f.template operator()<32>();
        case 40: return f.template operator()<40>();
        case 64: return f.template operator()<64>();
        case 80: return f.template operator()<80>();
        case 128: return f.template operator()<128>();
        case 160: return f.template operator()<160>();
        case 512: return f.template operator()<512>();
    }
    fail("a head dimension of " + std::to_string(d) + " is not among 32, 40, 64, 80, 128, 160, 512");
}

}  // namespace inlay::inline INLAY_ABI::nn
