// SPDX-License-Identifier: Apache-2.0
/// Rows of bound expressions and sinks: evaluated and written vector by vector, one run at a time.
#pragma once

#include <inlay/expr/eval.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/expr/slots.hpp>
#include <inlay/tile/host/convert.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::on_host {

/// Reads `lanes` elements of a leaf as a vector of floats; lanes beyond are 0.
struct VectorReader {
    using scalar = float;
    using value = fvec;
    index_t lanes = host_lanes;

    template <class T>
    INLAY_INLINE fvec load(const T* p, index_t step, index_t j) const {
        if (step == 0) return fvec(from_storage<float>(*p));
        if (step == 1 && lanes == host_lanes) return on_host::load<T>(p + j);
        fvec v(0.0f);
        for (int i = 0; i < lanes; ++i) v.set(i, from_storage<float>(p[(j + i) * step]));
        return v;
    }
    INLAY_INLINE fvec iota(float first, float step) const {
        fvec v(first);
        for (int i = 1; i < host_lanes; ++i) v.set(i, first + step * static_cast<float>(i));
        return v;
    }
};

namespace detail {

/// n values of placed cursors, as To.
template <class C, class B, Storage To>
void evaluate_run(const C& cursors, const B& bound, index_t n, To* to) {
    index_t j = 0;
    for (; j + host_lanes <= n; j += host_lanes) store<To>(to + j, cursors.eval(bound, VectorReader{}, j));
    if (j < n) store_n<To>(to + j, cursors.eval(bound, VectorReader{n - j}, j), n - j);
}

}  // namespace detail

/// n values of a bound expression from coordinate c along its last axis, as To. `acc`: what `Out` reads, n values.
template <class B, int R, Storage To>
void evaluate_row(const B& bound, Extents<R> c, index_t n, To* to, const float* acc = nullptr) {
    static_assert(R >= 1, "inlay: a kernel's result has at least one axis");
    CursorsOf<typename B::expression, B, float> cursors;
    const index_t first = c[R - 1];
    for (index_t done = 0; done < n;) {
        c[R - 1] = first + done;
        Walk<R> w{c, R - 1, n - done};
        cursors.place(bound, w, acc ? acc + done : nullptr);
        detail::evaluate_run(cursors, bound, w.run, to + done);
        done += w.run;
    }
}

namespace detail {

/// The address of a run's values if they are consecutive elements of one tensor of T; else null.
template <class T, class F, class B>
const T* consecutive(const Cursors<F, B, float>& c);

template <class T, class C>
const T* consecutive_leaf(const C& c) {
    if constexpr (std::is_same_v<C, inlay::detail::row_cursor<T>>) return c.step == 1 ? c.p : nullptr;
    else if constexpr (requires { c.active; }) {
        const T* p = nullptr;
        [&]<int... I>(std::integer_sequence<int, I...>) {
            ((c.active == I ? (p = consecutive<T>(get<I>(c.piece)), void()) : void()), ...);
        }(std::make_integer_sequence<int, std::remove_cvref_t<decltype(c.piece)>::size>{});
        return p;
    } else return nullptr;
}
template <class T, class F, class B>
const T* consecutive(const Cursors<F, B, float>& c) {
    if constexpr (F::values::size == 1) return consecutive_leaf<T>(get<0>(c.cursor));
    else return nullptr;
}

}  // namespace detail

/// n values of a bound expression as T, in place where they lie so in memory, else evaluated into scratch.
template <class B, int R, Storage T>
const T* read_row(const B& bound, Extents<R> c, index_t n, T* scratch) {
    index_t done = 0;
    if constexpr (flatten<typename B::expression>::values::size == 1) {
        CursorsOf<typename B::expression, B, float> cursors;
        Walk<R> w{c, R - 1, n};
        cursors.place(bound, w, nullptr);
        if (w.run == n)
            if (const T* p = detail::consecutive<T>(cursors)) return p;
        detail::evaluate_run(cursors, bound, w.run, scratch);
        done = w.run;
    }
    c.back(0) += done;
    if (done < n) evaluate_row(bound, c, n - done, scratch + done);
    return scratch;
}

/// Writes n floats through a bound sink, rounding to the type of each output.
template <class S, int R>
void write_row(const S& sink, const Extents<R>& c, index_t n, const float* from) {
    sink.row(c, n, [&](auto* p, index_t step, index_t first, index_t run) {
        using T = std::remove_reference_t<decltype(*p)>;
        if (step == 1) {
            store_row<T>(from + first, p, run);
        } else {
            for (index_t i = 0; i < run; ++i) p[i * step] = to_storage<T>(from[first + i]);
        }
    });
}

/// The epilogue over n accumulators at coordinate c, then the sink.
template <class B, class S, int R>
void finish(const B& epilogue, const S& sink, Extents<R> c, index_t n, const float* acc) {
    if constexpr (std::is_same_v<typename B::expression, Out>) {
        write_row(sink, c, n, acc);
    } else {
        constexpr index_t piece = 512;
        float v[piece];
        for (index_t j = 0; j < n; j += piece, c.back(0) += piece) {
            const index_t m = (std::min)(piece, n - j);
            evaluate_row(epilogue, c, m, v, acc + j);
            write_row(sink, c, m, v);
        }
    }
}

/// The same over the accumulators of all rows of weights, of which n columns have two each.
template <class B, class S, int R>
void epilogue_gated(const B& epilogue, const S& sink, Extents<R> c, index_t n, const float* acc) {
    constexpr index_t piece = gate_distance<float>;
    float both[room_for<2 * piece>], v[room_for<piece>];
    for (index_t j = 0; j < n; j += piece, c.back(0) += piece) {
        const index_t m = (std::min)(piece, n - j);
        for (index_t i = 0; i < m; i += 16) {
            const float* const pairs = acc + paired_column(j + i);
            const auto copy = [&](index_t some) __attribute__((always_inline)) {
                for (index_t l = 0; l < some; ++l) both[i + l] = pairs[l], both[piece + i + l] = pairs[16 + l];
            };
            if (i + 16 <= m) copy(16);
            else copy(m - i);
        }
        evaluate_row(epilogue, c, m, v, both);
        write_row(sink, c, m, v);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_host
