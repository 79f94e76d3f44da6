// SPDX-License-Identifier: Apache-2.0
/// `name<T>()`: a type as its user spells it, `Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Buf<1>>>`, the same on every
/// compiler.
#pragma once

#include <inlay/core/config.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/expr/leaf.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// T of "... [with T = X]" (g++), "... [T = X]" (clang), "... [with T=X]" (nvcc's front end).
constexpr Letters type_in(Letters s) {
    s = s.part(s.find("T = ") != s.npos ? s.find("T = ") + 4 : s.find("T=") + 2);
    int depth = 0;
    std::size_t i = 0;
    for (; i < s.size(); ++i) {
        if (s[i] == '<' || s[i] == '(' || s[i] == '{') ++depth;
        if (s[i] == '>' || s[i] == ')' || s[i] == '}') --depth;
        if ((s[i] == ';' && depth == 0) || (s[i] == ']' && depth == 0) || (s[i] == ',' && depth == 0)) break;
    }
    return s.part(0, i);
}
/// The name in "... [with T = inlay::abi_fff8000000::node::Slice<...>]": "Slice".
constexpr Letters name_in(Letters function) {
    Letters s = type_in(function);
    s = s.part(0, s.find("<"));
    const auto colon = s.rfind("::");
    if (colon != s.npos) s = s.part(colon + 2);
    const auto space = s.rfind(" ");
    if (space != s.npos) s = s.part(space + 1);
    return s;
}

/// Up to six decimals, trailing zeros dropped; large and small values as d.dddde±x.
constexpr Text number(double v) {
    if (v != v) return "nan";
    Text s = v < 0 ? "-" : "";
    if (v < 0) v = -v;
    if (v > 1.7e308) return s + "inf";
    int exponent = 0;
    if (v != 0 && (v >= 1e15 || v < 1e-4)) {
        while (v >= 10) v /= 10, ++exponent;
        while (v < 1) v *= 10, --exponent;
    }
    index_t whole = static_cast<index_t>(v);
    index_t micro = static_cast<index_t>((v - static_cast<double>(whole)) * 1e6 + 0.5);
    if (micro == 1000000) micro = 0, ++whole;
    s += decimal_text(whole);
    if (micro) {
        int places = 6;
        for (; micro % 10 == 0; micro /= 10) --places;
        const Text digits = decimal_text(micro);
        s += '.';
        for (int i = static_cast<int>(digits.size()); i < places; ++i) s += '0';
        s += digits;
    }
    if (exponent) s += "e" + decimal_text(exponent);
    return s;
}

/// Spelling of a type, as data: each costs its compiler a row of a table and no code. One function makes text of it.
struct Spelling {
    enum Kind { type, integer, floating, own } kind = type;
    const char* function = "";  ///< of a type: its name stands in this name of a function
    int count = -1;             ///< arguments; -1: those of a type are not spelled
    const Spelling* const* arguments = nullptr;
    index_t whole = 0;
    double number = 0;
    Text (*print)() = nullptr;  ///< of a type that prints itself
};

template <class T>
struct spelled;
template <class T>
inline constexpr const Spelling* spelling = &spelled<T>::value;

template <auto V>
struct spelled_value {
    using T = std::remove_cvref_t<decltype(V)>;
    static constexpr Spelling make() {
        if constexpr (std::is_floating_point_v<T>)
            return {.kind = Spelling::floating, .number = static_cast<double>(V)};
        else if constexpr (std::is_integral_v<T>) return {.kind = Spelling::integer, .whole = static_cast<index_t>(V)};
        else if constexpr (std::is_same_v<T, Real>) return {.kind = Spelling::floating, .number = value_of(V)};
        else if constexpr (std::is_same_v<T, ParamSlot>) return {.kind = Spelling::own, .print = param};
        else return *spelling<T>;
    }
    /// The value: its type is no static argument.
    static constexpr Text param() { return "param<" + decimal_text(static_cast<int>(V)) + ">"; }
    static constexpr Spelling value = make();
};
template <auto V>
inline constexpr const Spelling* spelling_of_value = &spelled_value<V>::value;

template <class T>
constexpr const char* function_of() {
    return __PRETTY_FUNCTION__;
}
/// The name of a template, which is short where that of a type contains its whole tree; one function for each shape of
/// parameters.
template <template <class...> class T>
constexpr const char* function_of_template() {
    return __PRETTY_FUNCTION__;
}
template <template <auto...> class T>
constexpr const char* function_of_numbers() {
    return __PRETTY_FUNCTION__;
}
template <template <class, auto...> class T>
constexpr const char* function_of_type_and_numbers() {
    return __PRETTY_FUNCTION__;
}
template <template <class, class, auto...> class T>
constexpr const char* function_of_types_and_numbers() {
    return __PRETTY_FUNCTION__;
}
template <template <auto, class...> class T>
constexpr const char* function_of_number_and_types() {
    return __PRETTY_FUNCTION__;
}

template <class... T>
struct Arguments {
    static constexpr int count = static_cast<int>(sizeof...(T));
    static constexpr const Spelling* list[sizeof...(T) + 1] = {&T::value..., nullptr};
    static constexpr Spelling of(const char* function) {
        return {.function = function, .count = count, .arguments = list};
    }
};

template <class T>
struct plainly_spelled {
    static constexpr Spelling value{.function = function_of<T>()};
};
template <template <class...> class N, class... T>
struct plainly_spelled<N<T...>> {
    static constexpr Spelling value = Arguments<spelled<T>...>::of(function_of_template<N>());
};
template <template <auto...> class N, auto... V>
struct plainly_spelled<N<V...>> {
    static constexpr Spelling value = Arguments<spelled_value<V>...>::of(function_of_numbers<N>());
};
template <template <class, auto...> class N, class T, auto... V>
    requires(sizeof...(V) > 0)
struct plainly_spelled<N<T, V...>> {
    static constexpr Spelling value = Arguments<spelled<T>, spelled_value<V>...>::of(function_of_type_and_numbers<N>());
};
template <template <class, class, auto...> class N, class T, class U, auto... V>
    requires(sizeof...(V) > 0)
struct plainly_spelled<N<T, U, V...>> {
    static constexpr Spelling value =
        Arguments<spelled<T>, spelled<U>, spelled_value<V>...>::of(function_of_types_and_numbers<N>());
};
template <template <auto, class...> class N, auto V, class... T>
    requires(sizeof...(T) > 0)
struct plainly_spelled<N<V, T...>> {
    static constexpr Spelling value = Arguments<spelled_value<V>, spelled<T>...>::of(function_of_number_and_types<N>());
};

// The norms: three holes, an epsilon, a schedule; the groups of GroupNorm come first.
template <template <class, class, class, auto, class> class N, class T, class U, class W, auto V, class S>
struct plainly_spelled<N<T, U, W, V, S>> {
    static constexpr Spelling value = Arguments<spelled<T>, spelled<U>, spelled<W>, spelled_value<V>, spelled<S>>::of(
        function_of<N<T, U, W, V, S>>());
};
template <template <auto, class, class, class, auto, class> class N, auto G, class T, class U, class W, auto V, class S>
struct plainly_spelled<N<G, T, U, W, V, S>> {
    static constexpr Spelling value =
        Arguments<spelled_value<G>, spelled<T>, spelled<U>, spelled<W>, spelled_value<V>, spelled<S>>::of(
            function_of<N<G, T, U, W, V, S>>());
};

template <class T>
struct spelled : plainly_spelled<T> {};
template <class T>
    requires requires { T::print(); }
struct spelled<T> {
    static constexpr Text print() { return T::print(); }
    static constexpr Spelling value{.kind = Spelling::own, .function = function_of<T>(), .print = print};
};

constexpr void spell(const Spelling& s, Text& to) {
    switch (s.kind) {
        case Spelling::integer: to += decimal_text(s.whole); return;
        case Spelling::floating: to += number(s.number); return;
        case Spelling::own: to += s.print(); return;
        case Spelling::type: break;
    }
    to += name_in(s.function);
    if (s.count < 0) return;
    to += '<';
    for (int i = 0; i < s.count; ++i) {
        if (i) to += ", ";
        spell(*s.arguments[i], to);
    }
    to += '>';
}
/// The same, not constexpr: g++ would first try each call as a constant, in vain, which takes seconds.
INLAY_OUTLINE Text spell_now(const Spelling& s) {
    Text text;
    spell(s, text);
    return text;
}

/// The name of a type without its arguments.
template <class T>
constexpr Letters template_name() {
    return name_in(spelling<T>->function);
}

}  // namespace detail

/// The name of a node, sink, frame or any type, as its user spells it. A type may give its own by `static print()`.
template <class T>
constexpr Text name() {
    if (!std::is_constant_evaluated()) return detail::spell_now(*detail::spelling<T>);
    Text text;
    detail::spell(*detail::spelling<T>, text);
    return text;
}

}  // namespace inlay::inline INLAY_ABI
