// SPDX-License-Identifier: Apache-2.0
/// Intervals of keys at compile time: where a condition has no slots, its bounds are constants of the extents.
#include <inlay/plan/attention/visible_keys.hpp>

namespace {

using namespace inlay;

constexpr auto i = query_position;
constexpr auto j = coord<3>;

constexpr Env<4, 0> scores(index_t queries, index_t keys) { return {{}, {}, {{1, 2, queries, keys}}}; }

template <class... I>
constexpr auto intervals(I... each) {
    Intervals<static_cast<int>(sizeof...(I))> r;
    (r.append(each), ...);
    return r;
}
template <class Condition, int N>
constexpr bool sees(Condition, const Env<4, 0>& env, const QueryTile& tile, const Intervals<N>& some,
                    const Intervals<N>& every) {
    return visible_keys<Condition>(env, tile) == some && unmasked_keys<Condition>(env, tile) == every;
}

// ⌊⌋ and ⌈⌉ of negative numbers.
static_assert(detail::floor_quotient(-7, 3) == -3 && detail::ceil_quotient(-7, 3) == -2);
static_assert(detail::floor_quotient(-6, 3) == -2 && detail::ceil_quotient(-6, 3) == -2);
static_assert(detail::floor_quotient(7, 3) == 2 && detail::ceil_quotient(7, 3) == 3);
static_assert(detail::floor_of(-0.5) == -1 && detail::ceil_of(-0.5) == 0 && detail::floor_of(2.0) == 2);

// Causal: one interval, of equal lengths and of 4 queries at the end of 10 keys.
constexpr auto causal = j <= i;
static_assert(most_intervals<std::remove_cv_t<decltype(causal)>> == 1);
static_assert(sees(causal, scores(8, 8), {0, 0, 1, 2, 5}, intervals(Interval{0, 5}), intervals(Interval{0, 3})));
static_assert(sees(causal, scores(4, 10), {0, 0, 1, 0, 4}, intervals(Interval{0, 10}), intervals(Interval{0, 7})));
// More queries than keys: the first see none.
static_assert(visible_keys<std::remove_cv_t<decltype(causal)>>(scores(10, 4), {0, 0, 1, 0, 6}).size() == 0);

constexpr auto window = i - j >= constant<0> && i - j < constant<4>;
static_assert(most_intervals<std::remove_cv_t<decltype(window)>> == 1);
static_assert(sees(window, scores(32, 32), {0, 0, 1, 8, 10}, intervals(Interval{5, 10}), intervals(Interval{6, 9})));
static_assert(sees(abs(i - j) <= constant<2>, scores(32, 32), {0, 0, 1, 8, 9}, intervals(Interval{6, 11}),
                   intervals(Interval{6, 11})));

constexpr auto sink_and_window = j <= i && (j < constant<2> || i - j < constant<4>);
static_assert(most_intervals<std::remove_cv_t<decltype(sink_and_window)>> == 2);
static_assert(sees(sink_and_window, scores(32, 32), {0, 0, 1, 8, 10}, intervals(Interval{0, 2}, Interval{5, 10}),
                   intervals(Interval{0, 2}, Interval{6, 9})));

constexpr auto prefix = j <= i || j < constant<6>;
static_assert(most_intervals<std::remove_cv_t<decltype(prefix)>> == 1);
static_assert(sees(prefix, scores(32, 32), {0, 0, 1, 2, 10}, intervals(Interval{0, 10}), intervals(Interval{0, 6})));

// Fractions: j ≤ (i − 1) / 2, and blocks of 5 along the diagonal.
static_assert(sees(j <= (i - constant<1>) / constant<2>, scores(32, 32), {0, 0, 1, 8, 9}, intervals(Interval{0, 4}),
                   intervals(Interval{0, 4})));
static_assert(sees(constant<3> * j < i - constant<31>, scores(32, 32), {0, 0, 1, 0, 31}, Intervals<1>{},
                   Intervals<1>{}));
constexpr auto diagonal_blocks = floor(i / constant<5>) == floor(j / constant<5>);
static_assert(sees(diagonal_blocks, scores(32, 32), {0, 0, 1, 4, 6}, intervals(Interval{0, 10}), Intervals<1>{}));
static_assert(sees(diagonal_blocks, scores(32, 32), {0, 0, 1, 5, 10}, intervals(Interval{5, 10}),
                   intervals(Interval{5, 10})));

// Bounds that rise and fall from row to row: all rows are looked at, 40, 38, 39, 37 and 38.
static_assert(sees(j <= i + constant<40> + constant<-3> * floor(i / constant<2>), scores(64, 64), {0, 0, 1, 3, 8},
                   intervals(Interval{0, 41}), intervals(Interval{0, 38})));

// Not: two intervals around one; of a condition that begins at key 0, one.
static_assert(sees(!window, scores(32, 32), {0, 0, 1, 8, 10}, intervals(Interval{0, 6}, Interval{9, 32}),
                   intervals(Interval{0, 5}, Interval{10, 32})));
static_assert(sees(!causal, scores(32, 32), {0, 0, 1, 8, 10}, intervals(Interval{9, 32}), intervals(Interval{10, 32})));

// A head of its own condition, in a tile of both heads and in one of the second.
constexpr auto by_head = coord<1> == constant<0> || causal;
static_assert(sees(by_head, scores(8, 8), {0, 0, 2, 0, 4}, intervals(Interval{0, 8}), intervals(Interval{0, 1})));
static_assert(sees(by_head, scores(8, 8), {0, 1, 1, 0, 4}, intervals(Interval{0, 4}), intervals(Interval{0, 1})));

static_assert(solved_by_types<std::remove_cv_t<decltype(sink_and_window)>>);
static_assert(!solved_by_types<Equal<Buf<0>, Ascending<Buf<1>>>> && !solved_by_types<Less<Out, Coord<3>>>);

// Blocks of 16 keys: the sink's, then the window's; and the keys past the last whole block are masked.
constexpr auto far = key_blocks<std::remove_cv_t<decltype(j < constant<8> || (j <= i && i - j < constant<40>))>>(
    scores(200, 200), {0, 0, 1, 128, 144}, 16);
static_assert(far.count() == 5 && far.block(0) == 0 && far.block(1) == 5 && far.block(4) == 8);
static_assert(far.masked(0) && far.masked(5) && far.masked(6) && !far.masked(7) && far.masked(8));
constexpr auto ragged = key_blocks<std::remove_cv_t<decltype(j >= constant<0>)>>(scores(8, 40), {0, 0, 1, 0, 8}, 16);
static_assert(ragged.count() == 3 && !ragged.masked(1) && ragged.masked(2));

}  // namespace
