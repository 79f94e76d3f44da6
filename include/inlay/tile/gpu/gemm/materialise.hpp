// SPDX-License-Identifier: Apache-2.0
/// An input of a product that is evaluated before it: one elementwise kernel into workspace, from which the copy engine
/// reads it.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/tile/gpu/elementwise.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Launches the kernel, and gives the input that is left to read: a dense tensor of T with the axes of `in`. A dry run
/// has no workspace yet; its result has an address that maps may be made of.
template <class T, class In>
auto evaluate_before(Launcher& l, const In& in) {
    constexpr int R = rank_of<typename In::expression, typename In::env_type>;
    const Extents<R> e = extents_of<typename In::expression>(in.env);
    T* const memory = static_cast<T*>(l.workspace(sizeof(T) * static_cast<std::size_t>(count(e))));
    const Tensor<T, R> evaluated(l.dry() ? reinterpret_cast<T*>(std::uintptr_t(1) << 40) : memory, e);
    using To = pack<Tensor<T, R>>;
    map(l, e, in, BoundSink<Store<0>, To>(To{evaluated}));
    using From = Env<0, 0, Tensor<const T, R>>;
    return Bound<Buf<0>, From>(From{{Tensor<const T, R>(evaluated)}, {}, {}});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
