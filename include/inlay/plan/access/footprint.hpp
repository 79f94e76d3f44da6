// SPDX-License-Identifier: Apache-2.0
/// Footprints: the memory of a bound expression's tensors, by the walks of `expr/walk.hpp` along every axis of the
/// domain, from each place where a run starts. No memory is read: behind a gather or pages, whose rows depend on memory,
/// a tensor counts as its own rows.
#pragma once

#include <inlay/expr/access.hpp>

#include <numeric>
#include <string>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// The footprint of a tensor slot over all places that read it.
struct SlotUse {
    bool used = false;              // its elements, not only its extents
    AccessClass access_class = AccessClass::plain;
    std::string_view why;           // the view that determined the access class
    index_t step = 0;               // along a row: 0 stays, 1 moves through consecutive elements, else that stride
    index_t run = 0;                // gcd of the numbers of consecutive elements; 0: none
    index_t alignment = 0;          // gcd of the offsets at which runs start; 0: always at the tensor's own address
    index_t across = 0;             // gcd of consecutive elements along another axis than the rows'; 0: none
    index_t strides = 0;            // gcd of all offsets and of all steps but 1
    double elements = 0;            // distinct at most

    /// A run of n elements along a row or, `across`, along another axis.
    void move(index_t offset, index_t s, index_t n, bool is_row) {
        used = used || is_row;
        if (is_row && s != 0) {
            if (step == 0 || s != 1) step = s;
            run = std::gcd(run, s == 1 ? n : 1);
        }
        const index_t next = n > 1 && s > 0 ? s : 0;
        alignment = std::gcd(std::gcd(alignment, offset), is_row ? 0 : next);
        strides = std::gcd(std::gcd(strides, offset), next == 1 ? 0 : next);
        if (!is_row && next == 1) across = std::gcd(across, n);
    }
    index_t turned() const { return across > 0 ? std::gcd(across, strides) : 0; }
};

template <class Path>
void note_access_class(SlotUse& u) {
    if (path_access_class<Path>::value > u.access_class || u.why.empty()) {
        u.access_class = worse(u.access_class, path_access_class<Path>::value);
        u.why = path_access_class<Path>::why();
    }
}

template <class B, class F>
class Footprint {
public:
    Footprint(const B& bound, F& found) : bound_(bound), found_(found) {}

    /// Finds the leaves of a value at the walk's start, and narrows the walk to the steps in which they move evenly.
    template <class V, int R>
    void value(Walk<R>& root) const {
        using Node = typename V::node;
        using Path = typename V::path;
        if constexpr (path_gathers(Path{})) {
            rows_of<V>();
        } else if constexpr (is_buf<Node>) {
            const auto w = follow(bound_, root, Path{});
            const auto& t = bound_.env.template tensor<Node::slot>();
            const auto leaf = clamped_walk(w, t.extents);
            index_t offset = 0;
            for (int i = 0; i < leaf.c.rank; ++i) offset += leaf.c[i] * t.strides[i];
            // A run cut short on the spot is no broadcast: the next element lies elsewhere.
            const index_t step = leaf.axis >= 0 ? t.strides[leaf.axis] : leaf.run < root.run ? -1 : 0;
            found_(V{}, offset, step, leaf.run);
            root.limit(w.run);
        } else if constexpr (Node::kind == NodeKind::view) {
            const auto& view = bound_.template state_of<Node>();
            auto w = clamped_walk(follow(bound_, root, Path{}), view.extents);
            const int active = Node::piece(view.state, w);
            root.limit(w.run);
            [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
                ((active == I ? list(root, flatten<K, join_types<Path, types<path_step<Node, I>>>>{}) : void()), ...);
            }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
        }
    }
    /// Finds the leaves of a value without a walk, as rows of their tensors.
    template <class V>
    void rows_of() const {
        using Node = typename V::node;
        if constexpr (is_buf<Node>) {
            const auto& t = bound_.env.template tensor<Node::slot>();
            constexpr int R = std::remove_cvref_t<decltype(t)>::rank;
            if constexpr (R > 0) {
                index_t offset = 0;  // any row may be next
                for (int i = 0; i + 1 < R; ++i) offset = std::gcd(offset, t.extents[i] > 1 ? t.strides[i] : 0);
                found_(V{}, offset, t.strides[R - 1], t.extents[R - 1]);
            } else {
                found_(V{}, index_t(0), index_t(0), index_t(1));
            }
        } else if constexpr (Node::kind == NodeKind::view) {
            [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
                (rows_each(flatten<K, join_types<typename V::path, types<path_step<Node, I>>>>{}), ...);
            }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
        }
    }

private:
    template <class... V, class Keys>
    void rows_each(Flat<types<V...>, Keys>) const {
        (rows_of<V>(), ...);
    }
    /// One operand's short runs are not another's.
    template <int R, class... V, class Keys>
    void list(Walk<R>& root, Flat<types<V...>, Keys>) const {
        const Walk<R> start = root;
        const auto each = [&]<class W>(W) {
            Walk<R> w = start;
            value<W>(w);
            root.limit(w.run);
        };
        (each(V{}), ...);
    }
    const B& bound_;
    F& found_;
};

/// Adds the footprints of value V of a bound expression over the domain. Along every axis, at most 64 places where a
/// run starts are visited.
template <class V, class B, int R>
void note_footprint_of(const B& bound, const Extents<R>& domain, SlotUse* use) {
    const auto in_row = [&]<class W>(W, index_t offset, index_t step, index_t run) {
        SlotUse& u = use[W::node::slot];
        note_access_class<typename W::path>(u);
        u.move(offset, step, run, true);
    };
    const auto across = [&]<class W>(W, index_t offset, index_t step, index_t run) {
        if constexpr (!path_gathers(typename W::path{})) use[W::node::slot].move(offset, step, run, false);
    };
    const auto along = [&](Extents<R> c, int axis, auto& found, auto&& then) {
        const Footprint reach(bound, found);
        for (int seen = 0; c[axis] < domain[axis] && seen < 64; ++seen) {
            Walk<R> w{c, axis, domain[axis] - c[axis]};
            reach.template value<V>(w);
            then(c);
            c[axis] += w.run;
        }
    };
    const auto row = [&](const Extents<R>& c) { along(c, R - 1, in_row, [](const auto&) {}); };
    if constexpr (R == 1) row({});
    for (int axis = 0; axis + 1 < R; ++axis) along({}, axis, across, row);
    // Pieces that no such walk meets.
    const auto unseen = [&]<class W>(W v, index_t offset, index_t step, index_t run) {
        if (!use[W::node::slot].used) in_row(v, offset, step, run);
    };
    Footprint(bound, unseen).template rows_of<V>();
}

template <class B, int R>
void note_footprint(const B& bound, const Extents<R>& domain, SlotUse* use) {
    if (count(domain) == 0) return;
    [&]<class... V, class Keys>(Flat<types<V...>, Keys>) {
        (note_footprint_of<V>(bound, domain, use), ...);
    }(flatten<typename B::expression>{});
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
