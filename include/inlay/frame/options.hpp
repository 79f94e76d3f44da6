// SPDX-License-Identifier: Apache-2.0
/// Options of a frame: types that follow its operands in any order, each recognised by its kind and given at most once.
/// Frames of more than four holes take them; a fifth hole by position would need the four before it.
#pragma once

#include <inlay/expr/refused.hpp>
#include <inlay/frame/base.hpp>

namespace inlay::inline INLAY_ABI {

/// A kind of options has `is<T>`, true of its options alone, and `fallback`, in place of one that is not given. A frame
/// may have kinds of its own.
struct epilogue_option {
    template <class T>
    static constexpr bool is = detail::is_operand<T>;
    using fallback = Out;
};
struct sink_option {
    template <class T>
    static constexpr bool is = detail::is_sink<T>;
    using fallback = Store<0>;
};
struct schedule_option {
    template <class T>
    static constexpr bool is = detail::is_schedule<T>;
    using fallback = Auto;
};

namespace detail {
template <class Kind, class... Given>
struct first_option {
    using type = typename Kind::fallback;
};
template <class Kind, class T, class... Rest>
struct first_option<Kind, T, Rest...> : first_option<Kind, Rest...> {};
template <class Kind, class T, class... Rest>
    requires(Kind::template is<T>)
struct first_option<Kind, T, Rest...> {
    using type = T;
};
}  // namespace detail

/// The option of a kind among those given, or the kind's fallback.
template <class Kind, class... Given>
using option_of = typename detail::first_option<Kind, Given...>::type;

/// False of a kind that is given twice.
template <class Kind, class... Given>
inline constexpr bool at_most_one = (0 + ... + int(Kind::template is<Given>)) <= 1;

/// The kinds of a frame, together.
template <class... Kinds>
struct option_kinds {
    template <class T>
    static constexpr bool is = (Kinds::template is<T> || ...);
};

/// Mistakes that have a name. Anything else that is of no kind is an option of no kind.
template <class... Given>
inline constexpr bool gives_frame = (Frame<Given> || ...);
template <class... Given>
inline constexpr bool gives_tensor = (detail::TensorShaped<Given> || ...);
template <class... Given>
inline constexpr bool gives_number = ((std::is_arithmetic_v<Given> || Storage<Given>) || ...);

}  // namespace inlay::inline INLAY_ABI
