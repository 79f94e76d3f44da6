// SPDX-License-Identifier: Apache-2.0
/// Whole rows of a softmax, LayerNorm or RMSNorm as their decision depends on them: which can be kept as they are
/// stored, from types, extents and addresses. A tensor without memory counts as aligned.
#pragma once

#include <inlay/core/half.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/frame/row_operation.hpp>
#include <inlay/plan/access/chunks.hpp>
#include <inlay/plan/access/stored.hpp>
#include <inlay/plan/norm/problem.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// A tensor that is read, perhaps γ, perhaps β, and one that is written, all of one type: `as_they_are`. Of halves or
/// bf16s and with γ, lanes of a warp may hold rows: `packed`.
template <class In, class Op, class Epilogue, class Sink>
struct StoredRows {
    static constexpr bool as_they_are = false, packed = false;
};
template <int I, class Env, class Op, class Environment, class To>
struct StoredRows<Bound<Buf<I>, Env>, Op, Bound<Out, Environment>, BoundSink<Store<0>, pack<To>>> {
    using T = typename To::value_type;
    using From = type_at<I, typename Env::tensors>;

    template <class V>
    static constexpr bool is = std::is_same_v<std::remove_const_t<typename V::value_type>, T>;
    static constexpr bool operands_are = [] {
        if constexpr (ShiftingOperation<Op>) return is<decltype(Op::gamma)> && is<decltype(Op::beta)>;
        else if constexpr (ScalingOperation<Op>) return is<decltype(Op::gamma)>;
        else return true;
    }();
    static constexpr bool as_they_are =
        (std::is_same_v<T, fp16> || std::is_same_v<T, bf16> || std::is_same_v<T, float>) && is<From> &&
        operands_are && From::rank == To::rank;
    static constexpr bool packed = as_they_are && sizeof(T) == 2 && ScalingOperation<Op>;

    /// True if n consecutive elements from any coordinate on are whole chunks.
    template <class V>
    static bool whole(const V& t, index_t n) {
        bool ok = n % chunk_of<T> == 0 && reinterpret_cast<std::uintptr_t>(t.data) % 16 == 0 && t.strides.back(0) == 1;
        for (int i = 0; i + 1 < V::rank; ++i) ok = ok && t.strides[i] % chunk_of<T> == 0;
        return ok;
    }
    static bool whole(const Op& op, index_t n) {
        if constexpr (ShiftingOperation<Op>) return whole(op.gamma, n) && whole(op.beta, n);
        else if constexpr (ScalingOperation<Op>) return whole(op.gamma, n);
        else return true;
    }
};

/// Bytes of γ and β of n channels; 0 where they cannot be copied to shared memory as they are.
template <class Op>
index_t operand_bytes(const Op& op, index_t n) {
    const auto bytes_of = [n](const auto& t) {
        const auto bytes = n * static_cast<index_t>(sizeof(*t.data));
        const bool whole = t.strides[0] == 1 && reinterpret_cast<std::uintptr_t>(t.data) % 16 == 0 && bytes % 16 == 0;
        return whole ? bytes : 0;
    };
    if constexpr (ShiftingOperation<Op>) {
        const index_t gamma = bytes_of(op.gamma), beta = bytes_of(op.beta);
        return gamma && beta ? gamma + beta : 0;
    } else if constexpr (ScalingOperation<Op>) {
        return bytes_of(op.gamma);
    } else {
        return 0;
    }
}

template <int N, class Env, class Nodes>
struct streamed_type {
    using type = float;
};
template <class Env, class... Nodes>
struct streamed_type<8, Env, types<Nodes...>> {
    using T = typename stored_type<Env, types<Nodes...>>::type;
    static constexpr bool fills = (requires { Nodes::fill; } || ...);
    using type = std::conditional_t<(std::is_same_v<T, fp16> || std::is_same_v<T, bf16>) && !fills, T, float>;
};

}  // namespace detail

/// The type in which values of streamed rows are kept, in chunks of N: as they are stored if the bound expression only
/// moves halves or bf16s.
template <int N, class In>
using StreamedType = typename detail::streamed_type<N, typename In::env_type, nodes_of<typename In::expression>>::type;

/// The problem of `op` on every row of `in` along the last axis of e.
template <int R, class In, class Op, class Epilogue, class Sink>
NormProblem rows_problem(const Extents<R>& e, const In& in, const Op& op, const Epilogue&, const Sink& sink) {
    using Stored = detail::StoredRows<In, Op, Epilogue, Sink>;
    constexpr int lanes = sink_lanes<Sink>;
    if (count(e) == 0) return {};
    NormProblem p{count(e) / e.back(0), 1, e.back(0), 0, 16 / lanes};
    RowFacts& r = p.rows;
    r.lanes = lanes;
    r.streamed = static_cast<int>(sizeof(StreamedType<lanes, In>));
    r.scales = ScalingOperation<Op>;
    r.operands = detail::operand_bytes(op, p.channels);
    r.not_stored = "rows are not read and stored as they are, in one type";
    if constexpr (Stored::as_they_are) {
        const auto& x = in.env.template tensor<In::expression::slot>();
        const bool whole = Stored::whole(x, p.channels) && Stored::whole(get<0>(sink.outs), p.channels) &&
                           Stored::whole(op, p.channels);
        r.not_stored = x.extents != e ? "its input is broadcast"
                       : whole        ? nullptr
                                      : "rows are not whole chunks of 16 bytes";
    }
    return p;
}

}  // namespace inlay::inline INLAY_ABI
