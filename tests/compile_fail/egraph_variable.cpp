// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a rule's right side has a variable that its left side has not
#include <inlay/rewrite/egraph/saturate.hpp>

using namespace inlay::egraph;

struct Negate {
    static constexpr const char* name = "negate";
};
struct Language {
    using symbols = inlay::types<Negate>;
    struct Data {
        bool operator==(const Data&) const = default;
    };
    template <class G>
    static constexpr Data make(const G&, const Node&) {
        return {};
    }
    static constexpr bool join(Data&, const Data&) { return true; }
};
struct Rule {
    using from = Term<Negate, Var<0>>;
    using to = Var<1>;
    static constexpr const char* name = "invents a variable";
    static constexpr bool rounds = false;
};

void wrong(Graph<Language>& graph) { saturate<inlay::types<Rule>>(graph); }
