// SPDX-License-Identifier: Apache-2.0
/// A matrix product as its frame hands it to a target: the frame runs on a target that only notes the problem, by the
/// function with which a launch gets it. Tensors need no memory.
#pragma once

#include <inlay/plan/access/product_type.hpp>
#include <inlay/plan/gemm/problem.hpp>
#include <inlay/report/kernel.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {

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

struct NotesGemm {
    KernelReport& l;

    template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& input, const Rows& rows, const Epilogue&, const Sink& sink,
                const Place&) {
        using Stored = std::remove_const_t<typename W::value_type>;
        using T = product_type<Stored, In>;
        const T* weights = nullptr;     // workspace where they are converted, which is aligned
        if constexpr (std::is_same_v<T, Stored>) weights = w.data;
        const auto in = multiplied_input<T>(input);
        using Multiplied = std::remove_const_t<decltype(in)>;
        const GemmFacts f =
            gemm_facts<Schedule, Epilogue>(s, weights, in, rows, sink, !std::is_same_v<T, Stored>);
        l.gemm = f.problem;
        l.multiplied = dtype_of<T>;
        if constexpr (can_wgmma<T, Multiplied, Rows, Epilogue>) {
            for (Operand& each : l.operands)
                each.boxed = each.kind == OperandKind::weight ||
                             (can_wgmma_copy<T, Multiplied, Rows> && each.kind == OperandKind::input && each.read);
            if constexpr (!can_wgmma_copy<T, Multiplied, Rows>)
                note_boxed(f.operand.streamed, l,
                           typename flatten<typename below_upsample<typename Multiplied::expression>::type>::values{});
        }
    }
    template <class S>
    void publish_stats(const S&) {}
};

}  // namespace detail

/// Adds to a launch the product that it is.
template <class K, class P>
void describe_product(const P& prepared, KernelReport& l) {
    detail::NotesGemm target{l};
    K::run(target, prepared);
}

}  // namespace inlay::inline INLAY_ABI
