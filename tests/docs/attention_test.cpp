// SPDX-License-Identifier: Apache-2.0
/// The examples of docs/attention.md: each on the host and on the oracle as in a plain loop over queries and keys, and
/// the text of `explain` that the page has.
#include "pages.hpp"
#include "plain_attention.hpp"

#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>
#include <inlay/report/explain.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace {

using namespace inlay;
using namespace inlay_test;

std::vector<float> y(B * H * S * D), y2(B * H * S * D), merged(B * H * S * D);
std::vector<float> lse(B * H * S), lse2(B * H * S);
const auto result = tensor(y.data(), B, H, S, D);
const auto q = tensor(queries.data(), B, H, S, D);
const auto k = tensor(keys.data(), B, Hkv, S, D), v = tensor(values.data(), B, Hkv, S, D);

std::vector<fp8> of_fp8(const std::vector<float>& x) {
    std::vector<fp8> r;
    for (float each : x) r.push_back(to_storage<fp8>(each));
    return r;
}
auto keys8 = of_fp8(keys), values8 = of_fp8(values);
float key_scales[] = {2.0f, 0.75f};

float slopes[] = {0.5f, 0.25f, 0.125f, 0.0625f}, sinks[] = {0.5f, -1.0f, 0.0f, 2.0f};
std::int32_t ids[S], prefixes[] = {7, 19}, lengths[] = {40, 33}, table[] = {7, 0, 3, 3, 9, 1, 2, 8, 5, 6};
const bool ids_are_there = [] {
    for (int n = 0; n < S; ++n) ids[n] = n < 11 ? 0 : n < 30 ? 1 : 5;
    return true;
}();

constexpr auto i = query_position;  // the query, counted from the end of the keys
constexpr auto j = coord<3>;        // the key
constexpr auto scaled = out * constant<0.25>;

struct gemma : Attention<16, Buf<0>, Buf<1>, Buf<2>, score::Softcap<Const<20>>, mask::Window<Const<8>>> {};
const auto capped = prepare<gemma>(result, q, k, v);

struct alibi : Attention<16, Buf<0>, Buf<1>, Buf<2>, mask::Causal,
                         score::Of<decltype(scaled + buf<3> * (j - i))>> {};
const auto sloping = prepare<alibi>(result, q, k, v, tensor(slopes, H, 1, 1));  // a slope for each head

struct documents : Attention<16, Buf<0>, Buf<1>, Buf<2>,
                             mask::If<decltype(j <= i && ascending(buf<3>) == buf<4>)>> {};
const auto apart = prepare<documents>(result, q, k, v, tensor(ids, S), tensor(ids, S, 1));  // of keys, of queries

struct prefix_lm : Attention<16, Buf<0>, Buf<1>, Buf<2>, mask::If<decltype(j < buf<3> || j <= i)>> {};
const auto prompted = prepare<prefix_lm>(result, q, k, v, tensor(prefixes, B, 1, 1, 1));  // a length for each batch

struct streaming : Attention<16, Buf<0>, Buf<1>, Buf<2>, row::Sink<Buf<3>>,
                             mask::If<decltype(j <= i && (j < constant<4> || i - j < constant<8>))>> {};
const auto sinking = prepare<streaming>(result, q, k, v, tensor(sinks, H, 1, 1));  // a learned score for each head

struct sigmoids : Attention<16, Buf<0>, Buf<1>, Buf<2>, mask::Causal, score::Of<decltype(scaled + param<0>)>,
                            row::Sigmoid> {};
const auto each_by_itself = prepare<sigmoids>(result, q, k, v, -std::log(40.0));

template <int From>
using Half = Attention<16, Buf<0>, Slice<Buf<1>, 2, From, 20>, Slice<Buf<2>, 2, From, 20>,
                       RowStore<1, row::LogSumExp>>;
struct first_keys : Half<0> {};
struct last_keys : Half<20> {};
const auto first = prepare<first_keys>(result, tensor(lse.data(), B, H, S), q, k, v);
const auto last = prepare<last_keys>(tensor(y2.data(), B, H, S, D), tensor(lse2.data(), B, H, S), q, k, v);
// Results a and b of scores whose sums are e^la and e^lb: a + (b − a) · σ(lb − la).
struct merge : Elementwise<decltype(lerp(buf<0>, buf<1>, sigmoid(buf<3> - buf<2>)))> {};
const auto together = prepare<merge>(tensor(merged.data(), B, H, S, D), result, tensor(y2.data(), B, H, S, D),
                                     tensor(lse.data(), B, H, S, 1), tensor(lse2.data(), B, H, S, 1));

constexpr auto s = Score{};
constexpr auto m = key_max(s);
constexpr auto p = exp(s - m);
struct unnormalised : Attention<16, Buf<0>, Buf<1>, Buf<2>, mask::Causal,
                                row::Of<decltype(key_sum(p * Values{}) / (abs(m) + key_sum(p) + constant<1e-6>))>> {};
const auto of_my_own = prepare<unnormalised>(result, q, k, v);

template <int I>
using Heads = Permute<Buf<I>, 0, 2, 1, 3>;  // a tensor [B, S, heads, D] read as [B, heads, S, D]
struct grouped : Attention<16, Heads<0>, Heads<1>, Heads<2>, Permuted<Store<0>, 0, 2, 1, 3>, row::SoftmaxPlusOne> {};
const auto of_shared_keys = prepare<grouped>(tensor(y.data(), B, S, H, D), tensor(queries.data(), B, S, H, D),
                                             tensor(keys.data(), B, S, Hkv, D), tensor(values.data(), B, S, Hkv, D));

using PagedKeys = Paged<Buf<1>, Buf<3>>;    // a pool [pages, page, heads, D] and a table [B, n] of int32 ids
using PagedValues = Paged<Buf<2>, Buf<3>>;  // [B, heads, n · page, D]
struct paged_cache : Attention<16, Buf<0>, PagedKeys, PagedValues, mask::If<decltype(j < buf<4>)>> {};
const auto in_pages = prepare<paged_cache>(result, q, tensor(keys.data(), 10, 8, Hkv, D),
                                           tensor(values.data(), 10, 8, Hkv, D), tensor(table, B, 5),
                                           tensor(lengths, B, 1, 1, 1));

struct small_keys : Attention<16, Buf<0>, Mul<Buf<1>, Buf<3>>, Mul<Buf<2>, Param<0>>, mask::Causal> {};
const auto in_fp8 = prepare<small_keys>(result, q, tensor(keys8.data(), B, Hkv, S, D),
                                        tensor(values8.data(), B, Hkv, S, D), tensor(key_scales, Hkv, 1, 1), 0.5);

struct absorbed : Attention<16, Buf<0>, Buf<1>, Slice<Buf<1>, -1, 0, 8>, ValueColumns<8>, mask::Causal> {};
const auto latent = prepare<absorbed>(tensor(y.data(), B, H, S, 8), q, k);  // V: the first 8 columns of the keys

float cosines[S * D], sines[S * D];
const bool angles_are_there = [] {
    for (int n = 0; n < S * D; ++n) {
        const double angle = n / D * std::pow(100.0, -(n % 8) / 8.0);
        cosines[n] = static_cast<float>(std::cos(angle)), sines[n] = static_cast<float>(std::sin(angle));
    }
    return true;
}();

template <class X>
using Turned = Add<Mul<X, Buf<3>>, Mul<Concat<-1, Neg<Slice<X, -1, 8, 8>>, Slice<X, -1, 0, 8>>, Buf<4>>>;
struct rotary : Attention<16, Turned<Buf<0>>, Turned<Buf<1>>, Buf<2>, mask::Causal> {};
const auto turned = prepare<rotary>(result, q, k, v, tensor(cosines, S, 16), tensor(sines, S, 16));

template <class Target, class Kernel>
void expect_on(const Kernel& kernel, const std::vector<double>& expected, const char* what) {
    std::fill(y.begin(), y.end(), std::numeric_limits<float>::quiet_NaN());
    Target target;
    kernel.run(target);
    double error = 0, size = 0;
    for (std::size_t n = 0; n < expected.size(); ++n) {
        const double e = static_cast<double>(y[n]) - expected[n];
        error += e * e;
        size += expected[n] * expected[n];
    }
    EXPECT_LE(std::sqrt(error / size), 1e-6) << what;
}
template <class Kernel>
void expect_as_plain(const Kernel& kernel, const std::vector<double>& expected) {
    expect_on<Oracle>(kernel, expected, "oracle");
    expect_on<Host>(kernel, expected, "host");
}

TEST(AttentionPage, SoftcapAndWindow) {
    expect_as_plain(capped, plain([](const Pair& x) {
        return x.i - x.j >= 0 && x.i - x.j < 8 ? 20 * std::tanh(x.product / 4 / 20) : none; }, softmax));
}
TEST(AttentionPage, Alibi) {
    expect_as_plain(sloping, plain([](const Pair& x) {
        return x.j <= x.i ? x.product / 4 + static_cast<double>(slopes[x.head]) * (x.j - x.i) : none; }, softmax));
}
TEST(AttentionPage, Documents) {
    ASSERT_TRUE(ids_are_there);
    expect_as_plain(apart, plain([](const Pair& x) {
        return x.j <= x.i && ids[x.i] == ids[x.j] ? x.product / 4 : none; }, softmax));
}
TEST(AttentionPage, PrefixLm) {
    expect_as_plain(prompted, plain([](const Pair& x) {
        return x.j < prefixes[x.batch] || x.j <= x.i ? x.product / 4 : none; }, softmax));
}
TEST(AttentionPage, SinkAndWindow) {
    const auto row = [](const std::vector<double>& scores, int head) {
        return softmax_with(std::exp(static_cast<double>(sinks[head])), scores);
    };
    expect_as_plain(sinking, plain([](const Pair& x) {
        return x.j <= x.i && (x.j < 4 || x.i - x.j < 8) ? x.product / 4 : none; }, row));
}
TEST(AttentionPage, Sigmoid) {
    const auto row = [](const std::vector<double>& scores, int) {
        std::vector<double> w;
        for (double x : scores) w.push_back(1 / (1 + std::exp(-x)));
        return w;
    };
    expect_as_plain(each_by_itself, plain([](const Pair& x) {
        return x.j <= x.i ? x.product / 4 - std::log(40.0) : none; }, row));
}
template <class Target>
void expect_merged(const std::vector<double>& expected) {
    Target target;
    first.run(target);
    last.run(target);
    together.run(target);
    for (std::size_t n = 0; n < merged.size(); ++n)
        ASSERT_NEAR(static_cast<double>(merged[n]), expected[n], 1e-6) << n;
}
TEST(AttentionPage, LogSumExpMergesResults) {
    const auto expected = plain([](const Pair& x) { return x.product / 4; }, softmax);
    expect_merged<Oracle>(expected);
    expect_merged<Host>(expected);
}
TEST(AttentionPage, ASoftmaxOfOnesOwn) {
    const auto row = [](const std::vector<double>& scores, int) {
        const double greatest = *std::max_element(scores.begin(), scores.end());
        std::vector<double> relative;
        for (double x : scores) relative.push_back(x - greatest);
        return softmax_with(std::abs(greatest) + 1e-6, relative);
    };
    expect_as_plain(of_my_own, plain([](const Pair& x) { return x.j <= x.i ? x.product / 4 : none; }, row));
}
TEST(AttentionPage, SharedKeys) {
    const auto row = [](const std::vector<double>& scores, int) { return softmax_with(1, scores); };
    expect_as_plain(of_shared_keys,
                    plain([](const Pair& x) { return x.product / 4; }, row, by_positions, by_positions));
}

TEST(AttentionPage, PagedKeys) {
    const PlainPlace paged = [](int batch, int heads, int head, int position, int d) {
        const int page = table[batch * 5 + position / 8];
        return static_cast<std::size_t>(((page * 8 + position % 8) * heads + head) * D + d);
    };
    expect_as_plain(in_pages, plain([](const Pair& x) { return x.j < lengths[x.batch] ? x.product / 4 : none; },
                                    softmax, by_heads, paged));
}

TEST(AttentionPage, RotaryEmbeddings) {
    const auto turn = [](std::vector<float> x) {    // pairs (a, b) of columns d and d + 8 as complex numbers
        for (std::size_t n = 0; n < x.size(); ++n) {
            if (n % D >= 8) continue;
            const double angle = static_cast<double>(n / D % S) * std::pow(100.0, -static_cast<double>(n % D) / 8);
            const std::complex<double> z(static_cast<double>(x[n]), static_cast<double>(x[n + 8]));
            const std::complex<double> by = z * std::polar(1.0, angle);
            x[n] = static_cast<float>(by.real()), x[n + 8] = static_cast<float>(by.imag());
        }
        return x;
    };
    expect_as_plain(turned, plain([](const Pair& x) { return x.j <= x.i ? x.product / 4 : none; }, softmax, by_heads,
                                  by_heads, turn(keys), values, turn(queries)));
}
TEST(AttentionPage, KeysInFp8) {
    std::vector<float> k32, v32;
    for (std::size_t n = 0; n < keys8.size(); ++n) {
        k32.push_back(from_storage<float>(keys8[n]) * key_scales[n / (S * D) % Hkv]);
        v32.push_back(from_storage<float>(values8[n]) * 0.5f);
    }
    expect_as_plain(in_fp8, plain([](const Pair& x) { return x.j <= x.i ? x.product / 4 : none; }, softmax, by_heads,
                                  by_heads, k32, v32));
}
TEST(AttentionPage, ValuesAreColumnsOfTheKeys) {
    const auto all = plain([](const Pair& x) { return x.j <= x.i ? x.product / 4 : none; }, softmax, by_heads,
                           by_heads, keys, keys);
    std::vector<double> expected;
    for (std::size_t n = 0; n < all.size(); ++n)
        if (n % D < 8) expected.push_back(all[n]);
    expect_as_plain(latent, expected);
}

/// The block of `explain` on the page, and that its sentences are those of tests/compile_fail.
TEST(AttentionPage, ShowsWhatExplainPrints) {
    const auto long_q = tensor<fp16>(nullptr, 2, 4, 4096, 16), long_k = tensor<fp16>(nullptr, 2, 2, 4096, 16);
    const std::string text = explain(
        describe<streaming>(prepare<streaming>(long_q, long_q, long_k, long_k, tensor<float>(nullptr, 4, 1, 1))),
        sm80_target);
    std::string block;
    bool inside = false;
    for (const std::string& line : lines_of(project() / "docs/attention.md")) {
        if (line.starts_with("    score  ")) inside = true;
        if (line.empty()) inside = false;
        if (inside) block += "  " + line.substr(4) + "\n";
    }
    EXPECT_NE(block, "");
    EXPECT_NE(text.find(block), std::string::npos) << text << "\n" << block;
}
TEST(AttentionPage, QuotesSentencesOfTheHeaders) {
    std::string expected;
    for (const auto& file : std::filesystem::directory_iterator(project() / "tests/compile_fail"))
        if (file.path().extension() == ".cpp")
            for (const std::string& line : lines_of(file.path()))
                if (line.starts_with("// expect: ")) expected += line + "\n";
    int rows = 0;
    bool inside = false;
    for (const std::string& line : lines_of(project() / "docs/attention.md")) {
        if (line.starts_with("## ")) inside = line == "## What cannot be done";
        if (!inside || !line.starts_with("| `")) continue;
        const std::string sentence = line.substr(3, line.find('`', 3) - 3);
        EXPECT_NE(expected.find(sentence), std::string::npos) << "no case of tests/compile_fail expects: " << sentence;
        ++rows;
    }
    EXPECT_GE(rows, 5);
}

}  // namespace
