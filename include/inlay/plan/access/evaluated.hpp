// SPDX-License-Identifier: Apache-2.0
/// Inputs of products on sm_90a that are functions of tensors: the leaves that the copy engine brings, the others being
/// vectors of channels, and the expression that is evaluated over them.
#pragma once

#include <inlay/expr/eval.hpp>
#include <inlay/plan/access/footprint.hpp>
#include <inlay/plan/access/mapped_operand.hpp>

#include <bit>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// The leaves that types allow to copy, of those of T with most axes: the first one, or both of exactly two. If a
/// tensor is in two places, as in GEGLU, these and no others. A bit for each leaf.
struct CopiedChoices {
    unsigned one = 0, two = 0;

    constexpr bool any() const { return (one | two) != 0; }
};
template <class T, class B, class List>
inline constexpr CopiedChoices copied_choices = {};
template <class T, class B, class... V>
inline constexpr CopiedChoices copied_choices<T, B, types<V...>> = [] {
    int slots[sizeof...(V) + 1] = {}, axes[sizeof...(V) + 1] = {}, leaves = 0, most = 0;
    const auto look = [&]<class W>(W) {
        if constexpr (is_buf<typename W::node>) {
            using Tensor = std::remove_cvref_t<decltype(std::declval<const B&>().env.template tensor<W::node::slot>())>;
            const bool of_t = std::is_same_v<T, std::remove_const_t<typename Tensor::value_type>>;
            slots[leaves] = W::node::slot;
            axes[leaves] = of_t ? Tensor::rank : 0;
            most = larger(most, axes[leaves++]);
        }
    };
    (look(V{}), ...);
    if (leaves > 31) return CopiedChoices{};
    unsigned first = 0, all = 0, again = 0;
    int repeated = 0;
    for (int l = 0; l < leaves; ++l) {
        if (axes[l] == 0 || axes[l] < most) continue;
        for (int i = 0; i < l; ++i)
            if (axes[i] == most && slots[i] == slots[l]) again = 1u << i | 1u << l, ++repeated;
        if (all == 0) first = 1u << l;
        all |= 1u << l;
    }
    if (repeated > 0) return CopiedChoices{0, repeated == 1 ? again : 0};
    return CopiedChoices{first, std::popcount(all) == 2 ? all : 0};
}();
/// The leaves of an input for rows. Source tiles of two leaves leave halo tiles no room.
template <class T, class B, class Rows, class List = typename flatten<typename B::expression>::values>
inline constexpr CopiedChoices copied_choices_of =
    has_halo<Rows> ? CopiedChoices{copied_choices<T, B, List>.one} : copied_choices<T, B, List>;

/// True if any of a list of functions of tensors is copied.
template <class T, class B, class Rows, class List>
inline constexpr bool can_evaluate_list = !has_coord<List> && copied_choices_of<T, B, Rows, List>.any();

/// Places of an input's leaves in their tensors, in elements. No memory is read, nor is there need of any.
template <int R>
struct LeafPlaces {
    static constexpr int most = WgmmaOperand::most_leaves + 1;
    std::uintptr_t tensor[most] = {};
    index_t place[most] = {};
    int size[most] = {};        ///< bytes of an element
    int leaves = 0;

    std::uintptr_t address(int leaf) const {
        return tensor[leaf] + static_cast<std::uintptr_t>(place[leaf] * size[leaf]);
    }
    /// Those of all leaves at a coordinate.
    template <class In>
    static LeafPlaces of(const In& in, const Extents<R>& c) {
        LeafPlaces l;
        const auto found = [&]<class V>(V, index_t offset, index_t, index_t) {
            const auto& t = in.env.template tensor<V::node::slot>();
            if (l.leaves == most) return;
            l.tensor[l.leaves] = reinterpret_cast<std::uintptr_t>(t.data);
            l.place[l.leaves] = offset;
            l.size[l.leaves++] = static_cast<int>(sizeof(*t.data));
        };
        const Footprint footprint(in, found);
        const auto add = [&]<class V>(V) {
            Walk<R> w{c, R - 1, 1};
            footprint.template value<V>(w);
        };
        [&]<class... V>(types<V...>) { (add(V{}), ...); }(typename flatten<typename In::expression>::values{});
        return l;
    }
};

template <class N>
inline constexpr bool is_reshape = false;
template <class E, auto... D>
inline constexpr bool is_reshape<node::Reshape<E, D...>> = true;

/// True if every reshape in an input gives even strides along the new axes, which permuted tensors may not have.
template <class In, class... N>
bool reshapes_evenly(const In& in, types<N...>) {
    const auto even = [&]<class M>(M) {
        if constexpr (!is_reshape<M>) return true;
        else if constexpr (inlay::is_affine<M>) return AffineOf<In>{in}.of(M{}).exists;
        else return false;
    };
    return (even(N{}) && ...);
}

/// An input that is evaluated: the leaves that are copied differ from row to row, and are tensors of T.
template <class T, class In, class Rows>
WgmmaOperand evaluated_operand(const MatmulShape& s, const In& in, const Rows& rows, int shift) {
    constexpr int R = rank_of<typename In::expression, typename In::env_type>;
    constexpr CopiedChoices choices = copied_choices_of<T, In, Rows>;
    WgmmaOperand o;
    set_rows(s, rows, shift, o);
    o.refuse(s.batch > 1 && !PhasedRowMap<Rows>, "a batch is not evaluated");
    o.refuse(o.rows.pixels && !has_halo<Rows>, "what is outside an image is known only under 3x3 windows");
    const Extents<R> e = extents_of<typename In::expression>(in.env);
    o.refuse(count(e) == 0, "there is nothing in it");
    o.refuse(!reshapes_evenly(in, nodes_of<typename In::expression>{}), uneven_rows);
    o.refuse(s.k % 8 != 0, "chunks of 8 channels would reach beyond its vectors");
    if (o.refused) return o;
    const auto first = LeafPlaces<R>::of(in, Extents<R>{});
    Extents<R> strides[LeafPlaces<R>::most] = {}, last{};
    for (int i = 0; i < R; ++i) {
        last[i] = e[i] - 1;
        if (e[i] < 2) continue;
        Extents<R> c{};
        c[i] = 1;
        const auto next = LeafPlaces<R>::of(in, c);
        for (int l = 0; l < first.leaves; ++l) strides[l][i] = next.place[l] - first.place[l];
    }
    const auto end = LeafPlaces<R>::of(in, last);
    o.refuse(first.leaves >= LeafPlaces<R>::most, "it reads more than 7 tensors");
    for (int l = 0; l < first.leaves && !o.refused; ++l) {
        o.leaf[l] = {reinterpret_cast<const void*>(first.address(l)), strides[l][R - 1],
                     R > 1 && o.rows.pixels ? strides[l][0] : 0};
        bool differs = false;
        // Vectors of channels may differ from image to image.
        const int from = WindowRowMap<Rows> && o.rows.pixels ? 1 : 0;
        for (int i = from; i < R - 1; ++i) differs = differs || strides[l][i] != 0;
        o.refuse(end.place[l] - first.place[l] != offset(last, strides[l]), uneven_rows);
        if (!differs) continue;
        o.refuse(first.size[l] != static_cast<int>(sizeof(T)), "what it reads is not of the weights' type");
        o.streamed |= 1u << l;
    }
    o.refuse(o.streamed == 0, "nothing in it differs from row to row");
    const bool takes = o.streamed == choices.one || o.streamed == choices.two;
    o.refuse(!takes && std::popcount(o.streamed) > 1,
             has_halo<Rows> ? "two of its tensors differ from row to row, which leaves halo tiles no room"
                            : "more than two of its tensors differ from row to row, or two of unlike axes");
    o.refuse(!takes, "a vector of channels has as many axes as what differs from row to row");
    o.tensors = 0;
    for (int l = 0; l < first.leaves && !o.refused; ++l)
        if (o.streamed >> l & 1u)
            map_part(s, AffineMap<T, R>{reinterpret_cast<const T*>(first.address(l)), 0, strides[l]}, e, rows,
                     o.tensor[o.tensors++], o);
    return o;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
