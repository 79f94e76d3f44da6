// SPDX-License-Identifier: Apache-2.0
/// The means by which a layer becomes kernels: a program to append to, an arena for its intermediate tensors, its name.
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

/// [..., C] as [rows, C], which linear layers read and write, so that those of every rank are one kernel.
template <Storage T, int R>
Tensor<T, 2> flat(const Tensor<T, R>& t) {
    const index_t c = t.extents.back(0);
    return reshaped(t, c > 0 ? t.size() / c : 0, c);
}

/// Calls f<D>() with the one of the head dimensions D that d is; each is a kernel of its own. Throws when it is none.
template <int... D, class F>
void with_head_dim(index_t d, F&& f) {
    const bool found = ((d == D ? (f.template operator()<D>(), true) : false) || ...);
    if (found) return;
    std::string known;
    ((known += (known.empty() ? "" : ", ") + std::to_string(D)), ...);
    fail("a head dimension of " + std::to_string(d) + " is not among " + known);
}

}  // namespace inlay::inline INLAY_ABI::nn
