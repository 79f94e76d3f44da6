// SPDX-License-Identifier: Apache-2.0
/// Hidden keys of a row against plain loops: by intervals, and key by key.
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/tile/host/attention/hide.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows of 100 keys and 40 queries, in runs that begin anywhere.
template <class Condition, class Environment>
void hides(const Environment& env, const std::function<bool(index_t, index_t)>& visible) {
    const HiddenKeys<Condition, Environment> hide(env);
    for (index_t q = 0; q < 40; ++q)
        for (const auto& [first, n] : {std::pair<index_t, index_t>{0, 100}, {0, 1}, {13, 50}, {64, 36}, {99, 1}}) {
            std::vector<float> s(static_cast<std::size_t>(n) + 1);
            for (std::size_t j = 0; j < s.size(); ++j) s[j] = static_cast<float>(j);
            hide({1, 0, q}, first, n, s.data());
            for (index_t j = 0; j < n; ++j)
                ASSERT_EQ(s[static_cast<std::size_t>(j)], visible(q, first + j) ? static_cast<float>(j) : -infinity)
                    << name<Condition>().c_str() << ' ' << q << ' ' << first + j;
            ASSERT_EQ(s.back(), static_cast<float>(n)) << "beyond the keys";
        }
}
const Env<4, 0> scores{{}, {}, {{2, 1, 40, 100}}};

TEST(HiddenKeys, Intervals) {
    using Distance = Sub<QueryPosition, Coord<3>>;
    hides<Const<1>>(scores, [](index_t, index_t) { return true; });
    hides<Const<0>>(scores, [](index_t, index_t) { return false; });
    hides<LessEqual<Coord<3>, QueryPosition>>(scores, [](index_t q, index_t k) { return k <= q + 60; });
    hides<And<LessEqual<Coord<3>, QueryPosition>, Or<Less<Coord<3>, Const<4>>, Less<Distance, Const<16>>>>>(
        scores, [](index_t q, index_t k) { return k <= q + 60 && (k < 4 || q + 60 - k < 16); });
}
TEST(HiddenKeys, ComputedKeyByKey) {
    using Even = Equal<Mul<Const<2>, Floor<Mul<Coord<3>, Const<0.5>>>>, Coord<3>>;
    static_assert(!solved_by_types<Even>);
    hides<Even>(scores, [](index_t, index_t k) { return k % 2 == 0; });
}
// Ids above 2^24, which are no floats, and in no order.
TEST(HiddenKeys, IdsAreExact) {
    std::vector<std::int32_t> of_query, of_key;
    for (std::int32_t i = 0; i < 2 * 40; ++i) of_query.push_back((1 << 30) + i * 5 % 7);
    for (std::int32_t i = 0; i < 2 * 100; ++i) of_key.push_back((1 << 30) + i * 3 % 7);
    const auto q = tensor(of_query.data(), 2, 1, 40, 1), k = tensor(of_key.data(), 2, 1, 1, 100);
    const Env<4, 0, std::remove_const_t<decltype(q)>, std::remove_const_t<decltype(k)>> env{
        make_pack(q, k), {}, {{2, 1, 40, 100}}};
    const auto at = [](const auto& v, index_t i) { return v[static_cast<std::size_t>(i)]; };
    hides<Equal<Buf<0>, Buf<1>>>(
        env, [&](index_t i, index_t j) { return at(of_query, 40 + i) == at(of_key, 100 + j); });
}

}  // namespace
