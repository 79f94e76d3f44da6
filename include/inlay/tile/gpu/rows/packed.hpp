// SPDX-License-Identifier: Apache-2.0
/// Normalised rows of halves or bf16s, few enough that all are under way at once: lanes of a warp hold a row as it is
/// stored, and its γ and β. No thread waits for another warp, and blocks are small, so that they spread evenly.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/eval.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/frame/row_operation.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/rows/packed_row.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

inline constexpr int stored_chunks = 5, few_stored_chunks = 3;  ///< of a lane, at most: two kernels
inline constexpr int stored_row_threads = 64;   ///< of a block
inline constexpr int stored_threads = 512;      ///< of a multiprocessor, by the registers that they take

/// Lanes of a row of `chunks` chunks: as few chunks a lane as let all rows be under way at once, down to 3. 0: rows are
/// too long, or too many.
inline int lanes_of_stored_row(int multiprocessors, index_t rows, index_t chunks) {
    const index_t fits = index_t(multiprocessors) * stored_threads;
    int size = 1;
    while (size < narrowest_warp && size * stored_chunks < chunks) size *= 2;
    if (size * stored_chunks < chunks || rows * size > fits) return 0;
    while (size < narrowest_warp && size * few_stored_chunks < chunks && rows * size * 2 <= fits) size *= 2;
    return size;
}

/// A tensor that is read, perhaps γ, perhaps β, and one that is written, all of one type: `as_they_are`. Of halves or
/// bf16s and with γ lanes of a warp may hold rows: `possible`.
template <class In, class Op, class Epilogue, class Sink>
struct StoredRows {
    static constexpr bool as_they_are = false, possible = false;
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
    static constexpr bool possible = as_they_are && sizeof(T) == 2 && ScalingOperation<Op>;

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

/// `lead`: the extents with a last axis of 1. `size`: lanes of a row, of which each has up to K chunks.
template <int K, int R, class T, class Op>
struct StoredRowsBody {
    struct Arguments {
        Unravel<R> lead;
        index_t rows;
        int n;
        int size;
        Tensor<const T, R> x;
        Tensor<T, R> y;
        Op op;
    };
    static constexpr int threads = stored_row_threads, min_blocks = stored_threads / stored_row_threads;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const auto& [lead, rows, n, size, x, y, op] = arguments;
        const int shift = bit_count(static_cast<unsigned>(size) - 1);
        const index_t i = work.template tile<index_t>() * (stored_row_threads >> shift) +
                          (thread_index<unsigned>() >> shift);
        // Out-of-range threads clamp to the last row.
        const Extents<R> c = row_coordinate(lead, i < rows ? i : rows - 1);
        StoredRow<T, K, ShiftingOperation<Op>> row(size, n);
        const T* const from = x.data + inlay::detail::offset(c, x.strides);
        T* const to = y.data + inlay::detail::offset(c, y.strides);
        after_previous_kernel();
        row.load(from, op);
        op(row);
        if (i < rows) row.store(to);
    }
};

template <int K, int R, class T, class Op>
void launch_stored_rows(Launcher& l, const Unravel<R>& lead, index_t rows, int n, int size,
                        const std::type_identity_t<Tensor<const T, R>>& x, const Tensor<T, R>& y, const Op& op) {
    l.launch<StoredRowsBody<K, R, T, Op>>({.blocks = (rows * size + stored_row_threads - 1) / stored_row_threads,
                                           .threads = stored_row_threads,
                                           .overlaps = true},
                                          {lead, rows, n, size, x, y, op});
}

/// Launches it where rows can be held like this; false elsewhere.
template <int R, class In, class Op, class Epilogue, class Sink>
bool stored_rows(Launcher& l, const Extents<R>& e, const In& in, const Op& op, const Epilogue&, const Sink& sink) {
    using S = StoredRows<In, Op, Epilogue, Sink>;
    if constexpr (S::possible) {
        const auto& x = in.env.template tensor<In::expression::slot>();
        const auto& y = get<0>(sink.outs);
        Extents<R> lead = e;
        lead.back(0) = 1;
        const index_t n = e.back(0), rows = count(lead), chunks = n / chunk_of<typename S::T>;
        const int size = lanes_of_stored_row(l.device().multiprocessors, rows, chunks);
        if (size == 0 || x.extents != e || !S::whole(x, n) || !S::whole(y, n) || !S::whole(op, n)) return false;
        const Unravel<R> at(lead);
        if (chunks > size * few_stored_chunks)
            launch_stored_rows<stored_chunks>(l, at, rows, static_cast<int>(n), size, x, y, op);
        else launch_stored_rows<few_stored_chunks>(l, at, rows, static_cast<int>(n), size, x, y, op);
        return true;
    }
    return false;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::on_gpu
