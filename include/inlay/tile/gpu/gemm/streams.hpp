// SPDX-License-Identifier: Apache-2.0
/// The leaves of an input that a product stages in shared memory before it evaluates them.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/expr/leaves.hpp>
#include <inlay/tile/gpu/gemm/runs.hpp>

#include <type_traits>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// The leaves of an input that are staged in shared memory: those that differ from row to row. The others, vectors of
/// channels mostly, stay in the first-level cache.
template <class T, class B, class List>
struct Streams;
template <class T, class B, class... V, class Keys>
struct Streams<T, B, inlay::detail::Flat<types<V...>, Keys>> {
    using Cursors = inlay::Cursors<inlay::detail::Flat<types<V...>, Keys>, B, float>;
    static unsigned mask(const B& in, index_t elements) {
        unsigned m = 0;
        int first = 0;
        (add<V>(in, elements, m, first), ...);
        return m;
    }

private:
    template <class W>
    static void add(const B& in, index_t elements, unsigned& m, int& first) {
        using Node = typename W::node;
        constexpr int leaves =
            leaves_of<decltype(inlay::detail::cursor_type<float, 0>(W{}, static_cast<const B*>(nullptr)))>;
        if constexpr (inlay::detail::is_buf<Node>) {
            const auto& t = in.env.template tensor<Node::slot>();
            using U = std::remove_const_t<typename std::remove_cvref_t<decltype(t)>::value_type>;
            if (std::is_same_v<T, U> && count(t.extents) * 16 >= elements) m |= 1u << first;
        } else if constexpr (Node::kind == NodeKind::view) {
            [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
                ((m |= Streams<T, B, flatten<K, join_types<typename W::path, types<path_step<Node, I>>>>>::mask(in,
                                                                                                                elements)
                       << first),
                 ...);
            }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
        }
        first += leaves;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
