// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a symbol of a term or rule is not in the language's list; symbols_of makes one
#include <inlay/rewrite/egraph/graph.hpp>

using namespace inlay::egraph;

struct X {
    static constexpr const char* name = "x";
};
struct Y {
    static constexpr const char* name = "y";
};
struct Language {
    using symbols = inlay::types<X>;
    struct Data {
        bool operator==(const Data&) const = default;
    };
    template <class G>
    static constexpr Data make(const G&, const Node&) {
        return {};
    }
    static constexpr bool join(Data&, const Data&) { return true; }
};

Id wrong(Graph<Language>& graph) { return add_term<Term<Y>>(graph); }
