// SPDX-License-Identifier: Apache-2.0
/// Matches against every substitution of classes and symbols for the variables of a pattern.
#include <rewrite/egraph/closure.hpp>

#include <inlay/rewrite/egraph/match.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace {

using namespace inlay_test::closure;

struct Binary {
    template <class S>
    static constexpr bool is = false;
};
template <>
inline constexpr bool Binary::is<Two> = true;
template <>
inline constexpr bool Binary::is<OtherTwo> = true;
struct Any {
    template <class S>
    static constexpr bool is = true;
};

using a = Var<0>;
using b = Var<1>;
using c = Var<2>;
template <class... T>
using one = Term<One, T...>;
template <class... T>
using two = Term<Two, T...>;
template <class... T>
using three = Term<Three, T...>;
template <class... T>
using any_binary = Term<AnySymbol<0, Binary>, T...>;
template <class... T>
using other_binary = Term<AnySymbol<1, Binary>, T...>;

/// Classes of the variables, then symbols of the symbol variables; unused are 0.
struct Substitution {
    std::array<std::size_t, 3> var{};
    std::array<int, 2> symbol{};
    auto operator<=>(const Substitution&) const = default;
};

constexpr std::size_t missing = static_cast<std::size_t>(-1);
using Signatures = std::map<Case::Signature, std::size_t>;

template <class T>
struct Plainly;
template <int I>
struct Plainly<Var<I>> {
    static constexpr int variables = I + 1, symbols = 0;
    static std::size_t value(const Signatures&, const Substitution& s) { return s.var[I]; }
};
template <class S>
struct PlainSymbol {
    static constexpr int symbols = 0;
    static int value(const Substitution&) { return inlay::detail::index_in<Language::symbols, S>; }
    static bool fits(int) { return true; }
};
template <int I, class Kind>
struct PlainSymbol<AnySymbol<I, Kind>> {
    static constexpr int symbols = I + 1;
    static int value(const Substitution& s) { return s.symbol[I]; }
    static bool fits(int symbol) {
        bool fit = false;
        [&]<class... S>(types<S...>) {
            int i = 0;
            ((fit = fit || (i++ == symbol && Kind::template is<S>)), ...);
        }(Language::symbols{});
        return fit;
    }
};
template <class S, class... Args>
struct Plainly<Term<S, Args...>> {
    static constexpr int variables = std::max({0, Plainly<Args>::variables...});
    static constexpr int symbols = std::max({PlainSymbol<S>::symbols, Plainly<Args>::symbols...});
    static std::size_t value(const Signatures& all, const Substitution& s) {
        const int symbol = PlainSymbol<S>::value(s);
        const Case::Signature signature{symbol, {Plainly<Args>::value(all, s)...}};
        const auto found = all.find(signature);
        return found == all.end() || !PlainSymbol<S>::fits(symbol) ? missing : found->second;
    }
};

template <class Pattern>
std::multiset<std::pair<std::size_t, Substitution>> brute_force(const Signatures& all,
                                                                const std::vector<std::size_t>& classes) {
    std::multiset<std::pair<std::size_t, Substitution>> found;
    const std::vector<std::size_t> one{0};
    const auto options = [&](int v) -> const std::vector<std::size_t>& {
        return v < Plainly<Pattern>::variables ? classes : one;
    };
    const auto symbols = [](int v) { return v < Plainly<Pattern>::symbols ? symbol_count : 1; };
    for (const std::size_t x : options(0))
        for (const std::size_t y : options(1))
            for (const std::size_t z : options(2))
                for (int f = 0; f < symbols(0); ++f)
                    for (int g = 0; g < symbols(1); ++g) {
                        const Substitution s{{x, y, z}, {f, g}};
                        if (const std::size_t root = Plainly<Pattern>::value(all, s); root != missing)
                            found.emplace(root, s);
                    }
    return found;
}

using patterns =
    types<one<a>, two<a, b>, two<a, a>, two<one<a>, b>, two<one<a>, one<a>>, two<one<a>, two<b, a>>,
          three<a, two<b, a>, c>, three<one<a>, b, one<b>>, one<one<one<a>>>, two<Term<Leaf<0>>, a>,
          any_binary<a, b>, any_binary<any_binary<a, b>, c>, any_binary<a, other_binary<b, a>>,
          any_binary<one<a>, other_binary<any_binary<b, c>, a>>, Term<Leaf<1>>, Term<AnySymbol<0, Any>>,
          Term<AnySymbol<0, Any>, Term<AnySymbol<1, Any>, a>>, Term<AnySymbol<0, Any>, a, b, c>>;

template <class Pattern>
std::size_t compare(const Case& graph, const Signatures& all, const std::vector<std::size_t>& classes, unsigned seed) {
    std::map<Id, std::size_t> class_of;
    for (const std::size_t t : classes) class_of[graph.graph.find(graph.id[t])] = t;
    const auto found = matches_of<Pattern, 512>(graph.graph);
    EXPECT_FALSE(found.dropped);
    std::multiset<std::pair<std::size_t, Substitution>> got;
    for (int i = 0; i < found.size; ++i) {
        const Match& m = found.item[i];
        Substitution s;
        for (int v = 0; v < Plainly<Pattern>::variables; ++v) s.var[static_cast<std::size_t>(v)] = class_of.at(m.var[v]);
        for (int v = 0; v < Plainly<Pattern>::symbols; ++v) s.symbol[static_cast<std::size_t>(v)] = m.symbol[v];
        got.emplace(class_of.at(m.root), s);
    }
    EXPECT_EQ(got, (brute_force<Pattern>(all, classes))) << "seed " << seed;
    return got.size();
}

TEST(EGraphMatches, AreAllSubstitutions) {
    std::array<std::size_t, patterns::size> total{};
    int graphs = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        const Case graph(seed + 10000);
        Signatures all;
        std::set<std::size_t> classes;
        for (std::size_t t = 0; t < graph.terms.size(); ++t) {
            classes.insert(graph.representative(t));
            all[graph.signature(t)] = graph.representative(t);
        }
        if (classes.size() > 6) continue;  // their third power is tried
        ++graphs;
        [&]<class... P>(types<P...>) {
            std::size_t i = 0;
            ((total[i++] += compare<P>(graph, all, {classes.begin(), classes.end()}, seed)), ...);
        }(patterns{});
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(graphs, 100);
    for (std::size_t i = 0; i < total.size(); ++i) EXPECT_GT(total[i], 20u) << "pattern " << i;
}

}  // namespace
