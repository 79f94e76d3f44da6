// SPDX-License-Identifier: Apache-2.0
/// An e-graph: classes of nodes that compute the same value, over classes. All in arrays, for constant expressions and
/// for run time.
#pragma once

#include <inlay/rewrite/egraph/language.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// Two classes that a rule made equal and whose data disagree. `none` twice: there are no such classes.
struct Conflict {
    Id a = none, b = none;
};

/// Hash-consed nodes, union-find over their classes, congruence closure, and data of each class. Ids are those of
/// nodes; each is a name of the class its node is in, and `find` gives the name that all of them share.
template <class Language, int MaxNodes = 256>
class Graph {
    static_assert(MaxNodes >= 1 && MaxNodes < (1 << 14), "inlay: a graph has 1 to 16383 nodes");

public:
    using language = Language;
    using symbols = typename Language::symbols;
    using Data = typename Language::Data;
    using node_type = Node;
    static constexpr int max_nodes = MaxNodes;

    /// Position of S among the language's symbols.
    template <class S>
    static constexpr int symbol_index = detail::index_of_symbol<symbols, S>();
    static constexpr const char* symbol_name(int symbol) { return detail::symbol_names<symbols>[symbol]; }

    /// The class of a node. `none`: there is no such node.
    constexpr Id lookup(Node node) const {
        for (int i = 0; i < node.arity; ++i) node.child[i] = find(node.child[i]);
        return find(lookup_in(bucket_of(node), node));
    }

    /// The class of a node, new or not. `none`, and `limit_reached()`, if there is no room or a child is `none`.
    constexpr Id add(Node node) {
        for (int i = 0; i < node.arity; ++i) {
            if (node.child[i] == none) return limit_ = true, none;
            node.child[i] = find(node.child[i]);
        }
        const int bucket = bucket_of(node);
        if (const Id n = lookup_in(bucket, node)) return find(n);
        if (size_ == MaxNodes) return limit_ = true, none;
        const Id n = static_cast<Id>(++size_);
        node_[n] = node;
        parent_[n] = first_[n] = last_[n] = n;
        weight_[n] = 1;
        chain_[n] = bucket_[bucket], bucket_[bucket] = n;
        for (int i = 0; i < node.arity; ++i) {
            const int use = max_arity * n + i, child = node.child[i];
            next_use_[use] = uses_[child], uses_[child] = static_cast<std::uint16_t>(use);
            ++weight_[child];
        }
        data_[n] = Language::make(*this, node);
        ++live_, ++version_;
        return n;
    }

    /// Makes two classes one. False if they were one already, if one is `none`, or if their data disagree: then they
    /// stay apart and `conflict()` names them. `rebuild()` must follow before the graph is read.
    constexpr bool merge(Id a, Id b) {
        a = find(a), b = find(b);
        if (a == b || a == none || b == none) return false;
        if (weight_[a] < weight_[b]) std::swap(a, b);
        Data joined = data_[a];
        if (!Language::join(joined, data_[b])) return note_conflict(a, b);
        parent_[b] = a;
        weight_[a] += weight_[b];
        next_[last_[a]] = first_[b], last_[a] = last_[b];
        if (!(joined == data_[a] && joined == data_[b])) note_change(a);
        data_[a] = joined;
        lost_[losses_++] = b;
        ++version_;
        return true;
    }

    /// Congruence closure: nodes whose children became equal become one, and data of children reach their users.
    constexpr void rebuild() {
        while (repaired_ != losses_ || changes_ != 0) {
            if (repaired_ != losses_) repair(lost_[repaired_++]);
            else update(changed_[--changes_]);
        }
    }

    constexpr Id find(Id id) const {
        while (parent_[id] != id) id = parent_[id];
        return id;
    }
    constexpr const Data& data(Id id) const { return data_[find(id)]; }
    constexpr const Node& node(Id n) const { return node_[n]; }

    /// Nodes of a class: `for (Id n = g.first(c); n != none; n = g.next(n))`, without duplicates.
    constexpr Id first(Id id) const { return first_[find(id)]; }
    constexpr Id next(Id n) const { return next_[n]; }
    /// True for the name that all nodes of a class share.
    constexpr bool is_class(Id id) const { return id != none && parent_[id] == id; }
    /// False for a node that became a duplicate of another, and for `none`.
    constexpr bool live(Id n) const { return n != none && !dead_[n]; }

    /// Ids are 1 … size(). Those of duplicates are not used again.
    constexpr int size() const { return size_; }
    constexpr int live_nodes() const { return live_; }
    /// A number that grows with each new node and each merge.
    constexpr int version() const { return version_; }
    constexpr bool limit_reached() const { return limit_; }
    constexpr const Conflict& conflict() const { return conflict_; }

private:
    static constexpr int bucket_of(const Node& n) {
        return static_cast<int>((n.symbol * 61u + n.child[0] * 7u + n.child[1] * 131u + n.child[2] * 17u +
                                 n.child[3] * 37u) % MaxNodes);
    }

    constexpr Id lookup_in(int bucket, const Node& node) const {
        Id n = bucket_[bucket];
        while (n && !(node_[n] == node)) n = chain_[n];
        return n;
    }

    constexpr bool note_conflict(Id a, Id b) {
        if (conflict_.a == none) conflict_ = {a, b};
        return false;
    }
    constexpr void note_change(Id c) {
        if (!is_changed_[c]) is_changed_[c] = true, changed_[changes_++] = c;
    }

    /// Gives the users of a class that lost its name their new children.
    constexpr void repair(Id lost) {
        const Id c = find(lost);
        int last = 0;
        for (int use = uses_[lost]; use; use = next_use_[use]) last = use, rehash(static_cast<Id>(use / max_arity));
        // Into the list of the class as it was before: if that has lost its name meanwhile, its own repair follows.
        if (last) next_use_[last] = uses_[c], uses_[c] = uses_[lost];
    }

    constexpr void rehash(Id n) {
        Node node = node_[n];
        for (int i = 0; i < node.arity; ++i) node.child[i] = find(node.child[i]);
        if (dead_[n] || node == node_[n]) return;
        Id* at = &bucket_[bucket_of(node_[n])];
        while (*at && *at != n) at = &chain_[*at];
        if (*at) *at = chain_[n];
        node_[n] = node;
        const int bucket = bucket_of(node);
        if (const Id m = lookup_in(bucket, node)) {
            if (find(m) == find(n) || merge(m, n)) remove(n);
        } else {
            chain_[n] = bucket_[bucket], bucket_[bucket] = n;
        }
    }

    /// Takes a duplicate out of its class, where the other one remains.
    constexpr void remove(Id n) {
        const Id c = find(n);
        Id before = none;
        for (Id m = first_[c]; m != n; m = next_[m]) before = m;
        if (before) next_[before] = next_[n];
        else first_[c] = next_[n];
        if (last_[c] == n) last_[c] = before;
        dead_[n] = true;
        --live_;
    }

    /// Data of the users of a class whose own changed.
    constexpr void update(Id id) {
        is_changed_[id] = false;
        if (++updates_ > 16 * MaxNodes) limit_ = true;  // data that grow around a cycle
        if (limit_) return;
        for (int use = uses_[find(id)]; use; use = next_use_[use]) {
            const Id n = static_cast<Id>(use / max_arity), c = find(n);
            if (dead_[n]) continue;
            Data joined = data_[c];
            if (!Language::join(joined, Language::make(*this, node_[n]))) note_conflict(c, n);
            else if (!(joined == data_[c])) data_[c] = joined, note_change(c);
        }
    }

    static constexpr std::size_t room = MaxNodes + 1;
    int size_ = 0, live_ = 0, version_ = 0, losses_ = 0, repaired_ = 0, changes_ = 0, updates_ = 0;
    bool limit_ = false;
    Conflict conflict_;
    Node node_[room] = {};
    Data data_[room] = {};
    // The first of a bucket; the next in the bucket; union-find; nodes of a class; users of a class.
    Id bucket_[room] = {}, chain_[room] = {}, parent_[room] = {};
    Id first_[room] = {}, last_[room] = {}, next_[room] = {};
    std::uint16_t uses_[room] = {}, next_use_[max_arity * room] = {};
    int weight_[room] = {};
    bool dead_[room] = {}, is_changed_[room] = {};
    // Classes that lost their name, in order; classes whose data changed and whose users do not have them yet.
    Id lost_[room] = {}, changed_[room] = {};
};

/// Throws `Error` with one sentence that names both classes of a conflict, if there is one: a rule is wrong, or a
/// language's `make`. In a constant expression, an error of the compiler that points here.
template <class G>
constexpr void require_no_conflict(const G& graph) {
    if (const Conflict c = graph.conflict(); c.a != none)
        require(false, "a rule makes ", detail::node_text(graph, c.a), " and ", detail::node_text(graph, c.b),
                " equal, whose data disagree");
}

}  // namespace inlay::inline INLAY_ABI::egraph
