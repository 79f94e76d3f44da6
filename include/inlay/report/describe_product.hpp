// SPDX-License-Identifier: Apache-2.0
/// A matrix product as sm_90a's engine has it, from what its frame hands to a target: the frame runs, and what it hands
/// over is looked at.
#pragma once

#include <inlay/plan/access/copied.hpp>
#include <inlay/plan/gemm/gemv.hpp>
#include <inlay/report/kernel.hpp>
#include <inlay/plan/access/product_type.hpp>
#include <inlay/plan/gemm/schedules.hpp>

#include <cstdint>
#include <string>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// A tensor that has no memory yet, as if it had: maps are of addresses, and memory begins at a multiple of all that a
/// map asks for.
template <class T>
T* supposed(T* p) {
    return p ? p : reinterpret_cast<T*>(std::uintptr_t(1) << 40);
}
template <class T>
void suppose_memory(T& t) {
    if constexpr (requires { t.data; }) t.data = supposed(t.data);
    else t.data = supposed(t.data);
}
template <class... T, int... I>
void suppose_memory(pack<T...>& tensors, std::integer_sequence<int, I...>) {
    (suppose_memory(get<I>(tensors)), ...);
}

/// The slots that the copy engine reads: all of an input that is copied as it is, else those of some leaves.
template <class V>
void note_boxed(int& leaf, unsigned streamed, KernelReport& l) {
    if constexpr (is_buf<typename V::node>) {
        if (streamed >> leaf++ & 1u) l.operands[static_cast<std::size_t>(V::node::slot)].boxed = true;
    }
}
template <class... V>
void note_boxed(unsigned streamed, KernelReport& l, types<V...>) {
    int leaf = 0;
    (note_boxed<V>(leaf, streamed, l), ...);
}

/// A target that runs nothing.
struct WgmmaView {
    KernelReport& l;

    template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& input, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place&) {
        using T = product_type<std::remove_const_t<typename W::value_type>, In>;
        l.multiplied = dtype_of<T>;
        l.converts = !std::is_same_v<T, std::remove_const_t<typename W::value_type>>;
        const T* weights = nullptr;  // where they are converted to is as even
        if constexpr (std::is_same_v<T, std::remove_const_t<typename W::value_type>>) {
            if constexpr (requires { w.data; }) weights = w.data;
            else weights = w.data;
        }
        note<Schedule>(s, weights, multiplied_input<T>(input), rows, epilogue, sink);
        if (l.converts) l.wgmma.refused = "its operands are not of one 16-bit type";
    }
    template <class S>
    void publish_stats(const S&) {}

private:
    template <class Schedule, class T, class In, class Rows, class Epilogue, class Sink>
    void note(const MatmulShape& s, const T* weights, const In& in, const Rows& rows, const Epilogue&, const Sink&) {
        l.evaluated = !is_copied_of<T, In>;
        l.streams = streams_weights<Rows>(s, weights, in);
        l.wgmma.refused = wgmma_types_refused<T, In, Rows, Epilogue>();
        if constexpr (requires { Schedule::m; }) {
            l.wgmma.refused = "its schedule is the user's";
        } else if constexpr (can_wgmma<T, In, Rows, Epilogue>) {
            l.wgmma_types = true;
            const WgmmaOperand o = wgmma_operand<T>(s, in, rows);
            l.wgmma = wgmma_grid<Rows, Epilogue, Sink>(s, o, mapped_weights(s, weights),
                                                 !can_wgmma_copy<T, In, Rows>);
            if (s.m <= gemv_rows) l.wgmma.refused = "so few rows fill no tile";
            for (Operand& each : l.operands)
                each.boxed = each.kind == OperandKind::weight ||
                             (can_wgmma_copy<T, In, Rows> && each.kind == OperandKind::input && each.read);
            if constexpr (!can_wgmma_copy<T, In, Rows>)
                note_boxed(o.streamed, l,
                           typename flatten<typename below_upsample<typename In::expression>::type>::values{});
        }
    }
};

}  // namespace detail

/// Adds to a launch how sm_90a's engine takes its product, or why it does not.
template <class K, class P>
void describe_product(P prepared, KernelReport& l) {
    constexpr std::string_view kind = K::kind;
    if constexpr (kind == "linear" || kind == "conv2d") {
        auto& in = get<0>(prepared.in);
        using Tensors = std::remove_cvref_t<decltype(in.env.buffers)>;
        detail::suppose_memory(in.env.buffers, std::make_integer_sequence<int, Tensors::size>{});
        detail::suppose_memory(get<0>(prepared.weights));
        detail::WgmmaView view{l};
        K::run(view, prepared);
    }
}

}  // namespace inlay::inline INLAY_ABI
