// SPDX-License-Identifier: Apache-2.0
/// Options are found by kind: any order of them is the same kernel, and a kind of one's own is picked like the others.
#include <inlay/frame/attention.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/unary.hpp>

namespace of_another_frame {

struct window {
    static constexpr int width = 7;
};
struct window_option {
    template <class T>
    static constexpr bool is = requires { T::width; };
    using fallback = void;
};

}  // namespace of_another_frame

namespace {

using namespace inlay;

template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

using Heads = Permuted<Store<0>, 0, 2, 1, 3>;
template <class... Options>
using attend = Attention<40, Buf<0>, Buf<1>, Buf<2>, Options...>;

// None is given: each hole has its fallback.
static_assert(same<attend<>::mask, mask::Full> && same<attend<>::score, score::Scaled> &&
              same<attend<>::epilogue, Out> && same<attend<>::sink, Store<0>> && same<attend<>::schedule, Auto>);

template <class K>
inline constexpr bool all_given = same<typename K::mask, mask::Causal> && same<typename K::score, score::Base2> &&
                                  same<typename K::epilogue, Silu<Out>> && same<typename K::sink, Heads> &&
                                  same<typename K::schedule, Tiled<64, 64, 32>>;
static_assert(all_given<attend<mask::Causal, Silu<Out>, Heads, Tiled<64, 64, 32>, score::Base2>>);
static_assert(all_given<attend<Heads, score::Base2, Tiled<64, 64, 32>, mask::Causal, Silu<Out>>>);
static_assert(all_given<attend<Tiled<64, 64, 32>, Heads, Silu<Out>, score::Base2, mask::Causal>>);
static_assert(!all_given<attend<Tiled<64, 64, 32>, Heads, Out, score::Base2, mask::Causal>>);

// A type is of one kind at most, and an operand of const or a frame is of none.
template <class T>
inline constexpr int kinds_of = int(mask_option::is<T>) + int(score_option::is<T>) + int(epilogue_option::is<T>) +
                                int(sink_option::is<T>) + int(schedule_option::is<T>);
static_assert(kinds_of<mask::Full> == 1 && kinds_of<mask::Causal> == 1 && kinds_of<score::Scaled> == 1 &&
              kinds_of<score::Base2> == 1 && kinds_of<Out> == 1 && kinds_of<Silu<Buf<0>>> == 1 &&
              kinds_of<Store<0>> == 1 && kinds_of<Heads> == 1 && kinds_of<Auto> == 1 && kinds_of<Tiled<8, 8, 8>> == 1);
static_assert(kinds_of<const Out> == 0 && kinds_of<Linear<>> == 0 && kinds_of<int> == 0);

static_assert(at_most_one<mask_option> && at_most_one<mask_option, Out, mask::Full> &&
              !at_most_one<mask_option, mask::Full, Out, mask::Causal>);

using of_another_frame::window;
using of_another_frame::window_option;
static_assert(same<option_of<window_option, Out, window, Store<0>>, window> &&
              same<option_of<window_option, Out>, void>);
static_assert(option_kinds<window_option, sink_option>::is<window> && !option_kinds<sink_option>::is<window>);

}  // namespace
