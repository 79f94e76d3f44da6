// SPDX-License-Identifier: Apache-2.0
/// A row of floats in whole vectors and a rest.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>
#include <inlay/tile/host/convert.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::on_host {

/// f(j, lanes) over [0, n) in whole vectors, and one of the rest.
template <class F>
void for_lanes(index_t n, F&& f) {
    for (index_t j = 0; j < n; j += host_lanes) f(j, std::min<index_t>(host_lanes, n - j));
}
/// `lanes` floats as a vector, whose other lanes are 0, and back.
inline fvec lane(const float* p, index_t lanes) { return lanes == host_lanes ? fvec::load(p) : load_n(p, lanes); }
inline void put(float* p, fvec v, index_t lanes) {
    if (lanes == host_lanes) v.store(p);
    else store_n(p, v, lanes);
}
/// Values j … j + lanes - 1 of a tensor of one axis.
template <class C>
fvec channel(const C& t, index_t j, index_t lanes) {
    if (t.strides[0] == 1 && lanes == host_lanes) return load(t.data + j);
    fvec v(0.0f);
    for (int i = 0; i < lanes; ++i) v.set(i, from_storage<float>(t({{j + i}})));
    return v;
}

}  // namespace inlay::inline INLAY_ABI::on_host
