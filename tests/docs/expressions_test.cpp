// SPDX-License-Identifier: Apache-2.0
/// docs/expressions.md against the headers: every public node, sink and function stands in it, and every spelling it
/// gives compiles to the type it gives.
#include "pages.hpp"

#include <inlay/inlay.hpp>

#include <regex>
#include <set>

namespace catalogue {

using namespace inlay;

struct X : leaf {};
struct Y : leaf {};
struct Z : leaf {};
constexpr X x;
constexpr Y y;
constexpr Z z;
constexpr Store<0> s;

struct Row {
    std::string spelling, type;
};
#define ROW(...)                                                         \
    Row {                                                                \
        #__VA_ARGS__, name<std::remove_cvref_t<decltype(__VA_ARGS__)>>() \
    }

const std::vector<Row>& rows() {
    static const std::vector<Row> all = {
        ROW(buf<0>), ROW(out), ROW(constant<0.5>), ROW(param<0>), ROW(coord<-1>),
        ROW(query_position),
        //
        ROW(silu(x)), ROW(gelu(x)), ROW(gelu_tanh(x)), ROW(quick_gelu(x)), ROW(sigmoid(x)), ROW(tanh(x)), ROW(relu(x)),
        ROW(exp(x)), ROW(exp2(x)), ROW(log(x)), ROW(sqrt(x)), ROW(rsqrt(x)), ROW(sin(x)), ROW(cos(x)), ROW(erf(x)),
        ROW(-x), ROW(neg(x)), ROW(abs(x)), ROW(floor(x)), ROW(ceil(x)), ROW(!x), ROW(logical_not(x)),
        ROW(cast<fp16>(x)), ROW(ascending(x)),
        //
        ROW(x + y), ROW(x - y), ROW(x * y), ROW(x / y), ROW(min(x, y)), ROW(max(x, y)), ROW(pow(x, y)),
        ROW(leaky_relu<0.2>(x)), ROW(x < y), ROW(x <= y), ROW(x > y), ROW(x >= y), ROW(x == y), ROW(x != y),
        ROW(x && y), ROW(x || y),
        //
        ROW(where(x, y, z)), ROW(lerp(x, y, z)), ROW(clamp(x, y, z)),
        //
        ROW(slice<-1, 0, 4>(x)), ROW(slice<-1, param<0>, param<1>>(x)), ROW(slice_last<0, 4>(x)),
        ROW(permute<0, 2, 1>(x)), ROW(transpose<-1, -2>(x)), ROW(reshape<2, -1>(x)), ROW(broadcast(x, y)),
        ROW(concat<-1>(x, y)), ROW(upsample<2, -3, -2>(x)), ROW(upsample2x(x)), ROW(dilate<2, -3, -2>(x)),
        ROW(pad<-1, 1, 2>(x)), ROW(im2col<3, 3, 1, 1>(x)), ROW(gather(x, y)),
        ROW(paged(x, y)), ROW(published_mean(y)), ROW(published_rstd<1e-5>(y)),
        ROW(group_mean<32>(y, x)), ROW(group_rstd<32, 1e-5>(y, x)),
        //
        ROW(store<0>), ROW(permuted<0, 2, 1>(s)), ROW(split_last(s)), ROW(partition<-1>(s, store<1>)),
        ROW(strided<1, 2, 0>(s)), ROW(with_stats<1>(s)), ROW(with_row_stats<1>(s))};
    return all;
}

/// The types as the page spells them, which name<T>() prints.
#define TYPE(...) {#__VA_ARGS__, name<__VA_ARGS__>()}
const std::vector<Row>& types() {
    static const std::vector<Row> all = {
        TYPE(Buf<0>), TYPE(Out), TYPE(OutGate), TYPE(Const<0.5>), TYPE(Param<0>), TYPE(Coord<-1>), TYPE(QueryPosition),
        TYPE(Ascending<X>), TYPE(Silu<X>),
        TYPE(Gelu<X>), TYPE(GeluTanh<X>), TYPE(QuickGelu<X>), TYPE(Sigmoid<X>), TYPE(Tanh<X>), TYPE(Relu<X>),
        TYPE(Exp<X>), TYPE(Exp2<X>), TYPE(Log<X>), TYPE(Sqrt<X>), TYPE(Rsqrt<X>), TYPE(Sin<X>), TYPE(Cos<X>),
        TYPE(Erf<X>), TYPE(Neg<X>), TYPE(Abs<X>), TYPE(Floor<X>), TYPE(Ceil<X>), TYPE(Not<X>), TYPE(Cast<X, fp16>),
        TYPE(Add<X, Y>), TYPE(Sub<X, Y>), TYPE(Mul<X, Y>), TYPE(Div<X, Y>), TYPE(Min<X, Y>), TYPE(Max<X, Y>),
        TYPE(Pow<X, Y>), TYPE(LeakyRelu<X, Const<0.2>>), TYPE(Less<X, Y>), TYPE(LessEqual<X, Y>), TYPE(Greater<X, Y>),
        TYPE(GreaterEqual<X, Y>), TYPE(Equal<X, Y>), TYPE(NotEqual<X, Y>), TYPE(And<X, Y>), TYPE(Or<X, Y>),
        TYPE(Where<X, Y, Z>), TYPE(Lerp<X, Y, Z>), TYPE(Clamp<X, Y, Z>), TYPE(Slice<X, -1, 0, 4>),
        TYPE(Slice<X, -1, param<0>, param<1>>), TYPE(Permute<X, 0, 2, 1>), TYPE(Transpose<X, -1, -2>),
        TYPE(Reshape<X, 2, -1>), TYPE(Broadcast<X, Y>), TYPE(Concat<-1, X, Y>), TYPE(Upsample<X, 2, -3, -2>),
        TYPE(Dilate<X, 2, -3, -2>), TYPE(Pad<X, -1, 1, 2, 0>), TYPE(Im2col<X, 3, 3, 1, 1, 1>), TYPE(Gather<X, Y, 0>), TYPE(Paged<X, Y>),
        TYPE(Store<0>), TYPE(Permuted<Store<0>, 0, 2, 1>), TYPE(SplitLast<Store<0>>),
        TYPE(Partition<-1, Store<0>, Store<1>>), TYPE(Strided<Store<0>, 1, 2, 0>), TYPE(Scatter<Store<0>, Y, 1>),
        TYPE(WithStats<Store<0>, 1>), TYPE(WithRowStats<Store<0>, 1>), TYPE(PublishedMean<Y>),
        TYPE(PublishedRstd<Y, 1e-5>), TYPE(GroupMean<Y, X, 32>), TYPE(GroupRstd<Y, X, 32, 1e-5>)};
    return all;
}

}  // namespace catalogue

namespace {

using namespace inlay_test;

std::string page() {
    return text_of(project() / "docs/expressions.md");
}

/// A table cell: a bar in code is escaped.
std::string cell(const std::string& code) {
    return "`" + std::regex_replace(code, std::regex("\\|"), "\\|") + "`";
}

TEST(Expressions, EverySpellingHasItsRow) {
    const std::string text = page();
    for (const auto& [spelling, type] : catalogue::rows())
        EXPECT_NE(text.find("\n| " + cell(spelling) + " | " + cell(type) + " | "), text.npos)
            << "docs/expressions.md has no row | " << cell(spelling) << " | " << cell(type) << " |";
}

TEST(Expressions, EveryTypeIsOneAndPrintsItself) {
    std::set<std::string> compiled;
    for (const auto& [spelling, printed] : catalogue::types()) {
        EXPECT_EQ(spelling, printed);
        compiled.insert(spelling);
    }
    for (const auto& row : catalogue::rows()) EXPECT_TRUE(compiled.contains(row.type)) << row.type;
}

/// Names declared in a header by `pattern`, whose first group is the name.
std::set<std::string> declared(const std::filesystem::path& header, const char* pattern) {
    std::set<std::string> names;
    const std::string text = text_of(header);
    const std::regex r(pattern);
    for (std::sregex_iterator m(text.begin(), text.end(), r), end; m != end; ++m) names.insert((*m)[1]);
    return names;
}

bool mentions(const std::string& text, const std::string& n) {
    if (!n.starts_with("operator")) return std::regex_search(text, std::regex("`[^`]*\\b" + n + "\\b[^`]*`"));
    const std::string symbol = n.substr(8);
    return text.find(cell("x " + symbol + " y")) != text.npos || text.find(cell(symbol + "x")) != text.npos;
}

TEST(Expressions, EveryPublicNodeAndFunctionIsMentioned) {
    const auto expr = project() / "include/inlay/expr";
    std::vector<std::filesystem::path> headers;
    for (const char* name : {"leaf.hpp", "unary.hpp", "binary.hpp", "ternary.hpp"}) headers.push_back(expr / name);
    for (const char* folder : {"view", "sink"})
        for (const auto& entry : std::filesystem::directory_iterator(expr / folder)) headers.push_back(entry.path());
    const std::string text = page();
    std::set<std::string> found;
    for (const auto& h : headers) {
        auto names = declared(
            h, R"(struct (\w+) : (?:leaf|pointwise<|view<|sink_expression|stateless_sink<|publishing_sink<))");
        names.merge(declared(h, R"(\nusing ([A-Z]\w*) = )"));
        names.merge(declared(h, R"(INLAY_FN constexpr [A-Z]\w*(?:<[^;{]*>)? (\w+)\()"));
        names.merge(declared(h, R"(INLAY_FN constexpr [A-Z]\w*(?:<[^;{]*>)? (operator[^\s(]+)\()"));
        names.merge(declared(h, R"(inline constexpr \w+(?:<\w+>)? (\w+)\{\})"));
        EXPECT_FALSE(names.empty()) << h;
        for (const std::string& n : names) {
            found.insert(n);
            EXPECT_TRUE(mentions(text, n)) << "docs/expressions.md does not mention " << n << " of " << h;
        }
    }
    // The patterns see what is there: as many as the headers had when this was written.
    EXPECT_GE(found.size(), 120u);
    for (const char* n : {"Buf", "buf", "out", "Silu", "silu", "operator||", "Slice", "SliceLast", "Upsample2x",
                          "upsample2x", "Where", "WithStats", "with_stats", "Im2col"})
        EXPECT_TRUE(found.contains(n)) << n;
}

}  // namespace
