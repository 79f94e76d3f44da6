// SPDX-License-Identifier: Apache-2.0
/// The value of an expression at one of a lane's scores, in the registers that a product of warpgroups leaves.
#pragma once

#include <inlay/plan/attention/key_condition.hpp>
#include <inlay/plan/attention/score_value.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The place of a lane's scores: its first query and the query 8 further, its first key.
struct WgmmaScorePlace {
    int batch, head, query, key;

    /// Row h of the lane, 0 or 1.
    __device__ INLAY_INLINE ScoreRow row(int h) const { return {batch, head, query + 8 * h}; }
    template <class Args>
    __device__ INLAY_INLINE bool exists(const Args& a, int h) const {
        return query + 8 * h < a.queries;
    }
    /// Row h, or the last one where it does not exist.
    template <class Args>
    __device__ INLAY_INLINE ScoreRow existing(const Args& a, int h) const {
        return {batch, head, (::min)(query + 8 * h, a.queries - 1)};
    }
};
/// The same where rows are heads that have one query each: the lane's first head, the one behind the last.
struct WgmmaHeadPlace {
    int batch, head, end, key;

    __device__ INLAY_INLINE ScoreRow row(int h) const { return {batch, head + 8 * h, 0}; }
    template <class Args>
    __device__ INLAY_INLINE bool exists(const Args&, int h) const {
        return head + 8 * h < end;
    }
    template <class Args>
    __device__ INLAY_INLINE ScoreRow existing(const Args&, int h) const {
        return {batch, (::min)(head + 8 * h, end - 1), 0};
    }
};

namespace detail {

/// The scalars of E, read once for many scores.
template <class E, class T, class Environment>
struct WgmmaScalars {
    T at[std::extent_v<decltype(Environment::scalars)>];

    __device__ INLAY_INLINE explicit WgmmaScalars(const Environment& env) { read(env, nodes_of<E>{}); }

private:
    template <class... N>
    __device__ INLAY_INLINE void read(const Environment& env, types<N...>) {
        (read_one<N>(env), ...);
    }
    template <class Node>
    __device__ INLAY_INLINE void read_one([[maybe_unused]] const Environment& env) {
        if constexpr (inlay::detail::is_param<Node>)
            at[Node::slot] = env.template scalar<Node::slot>().template as<T>();
    }
};

template <class Leaf>
inline constexpr bool is_key_number = false;
template <int Axis>
inline constexpr bool is_key_number<Coord<Axis>> = inlay::detail::score_axis<Axis> == 3;
/// Leaves of a score at a key, whose number each register finds by one addition.
template <class E, class T, class Environment>
struct WgmmaLeaves {
    ScoreLeaves<T, Environment> at;
    T key;
    const WgmmaScalars<E, T, Environment>& scalars;

    template <class Leaf>
    __device__ INLAY_INLINE T operator()(Leaf leaf) const {
        if constexpr (inlay::detail::is_param<Leaf>) return scalars.at[Leaf::slot];
        else if constexpr (is_key_number<Leaf>) return key;
        else return at(leaf);
    }
};

/// The places at which tensors of an expression are read: as they are, clamped to the last query and key where some may
/// not exist, or of rows, at any key, as none varies along the keys.
enum class WgmmaReads { all, existing, of_rows };

/// E at a lane's row h and its key `offset` further.
template <class E, WgmmaReads Reads, class Args, class Scalars, class Place, class T>
__device__ INLAY_INLINE T value_at(const Args& a, const Scalars& scalars, const Place& p, int h, int offset,
                                   T product) {
    constexpr bool reads = inlay::detail::slots_in<E>::any;
    const ScoreRow row = reads ? p.existing(a, h) : p.row(h);
    const int key = !reads || Reads == WgmmaReads::of_rows  ? 0
                    : Reads == WgmmaReads::existing         ? (::min)(p.key + offset, a.keys - 1)
                                                            : p.key + offset;
    const WgmmaLeaves<E, T, std::remove_cv_t<decltype(a.env)>> leaves{
        {a.env, row, key, product}, static_cast<T>(p.key) + static_cast<T>(offset), scalars};
    return online::evaluate<E, T>(leaves);
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::on_gpu
