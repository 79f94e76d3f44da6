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
template <class T>
constexpr Letters raw_name() {
    return type_in(__PRETTY_FUNCTION__);
}

/// "inlay::abi_fff8000000::node::Slice<...>" → "Slice"
constexpr Letters template_name(Letters s) {
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
    s += decimal(whole);
    if (micro) {
        int places = 6;
        for (; micro % 10 == 0; micro /= 10) --places;
        const Text digits = decimal(micro);
        s += '.';
        for (int i = static_cast<int>(digits.size()); i < places; ++i) s += '0';
        s += digits;
    }
    if (exponent) s += "e" + decimal(exponent);
    return s;
}

template <class T>
constexpr Text print();

template <auto V>
constexpr Text print_value() {
    using T = std::remove_cvref_t<decltype(V)>;
    if constexpr (std::is_floating_point_v<T>) return number(static_cast<double>(V));
    else if constexpr (std::is_integral_v<T>) return decimal(static_cast<index_t>(V));
    else if constexpr (std::is_same_v<T, Real>) return number(value_of(V));
    else if constexpr (std::is_same_v<T, ParamSlot>) return print<Param<static_cast<int>(V)>>();
    else return print<T>();
}

constexpr Text listed(Letters head, Letters first, Letters second = "") {
    Text s(head);
    s += '<';
    s += first;
    if (!first.empty() && !second.empty()) s += ", ";
    s += second;
    return s + '>';
}

template <class... T>
constexpr Text print_types() {
    Text s;
    ((s += Letters(s.empty() ? "" : ", ") + print<T>()), ...);
    return s;
}
template <auto... V>
constexpr Text print_values() {
    Text s;
    ((s += Letters(s.empty() ? "" : ", ") + print_value<V>()), ...);
    return s;
}

template <class T>
struct printer {
    static constexpr Text get() { return Text(template_name(raw_name<T>())); }
};
template <template <class...> class N, class... T>
struct printer<N<T...>> {
    static constexpr Text get() {
        return listed(template_name(raw_name<N<T...>>()), print_types<T...>());
    }
};
template <template <auto...> class N, auto... V>
struct printer<N<V...>> {
    static constexpr Text get() {
        return listed(template_name(raw_name<N<V...>>()), print_values<V...>());
    }
};
template <template <class, auto...> class N, class T, auto... V>
    requires(sizeof...(V) > 0)
struct printer<N<T, V...>> {
    static constexpr Text get() {
        return listed(template_name(raw_name<N<T, V...>>()), print<T>(), print_values<V...>());
    }
};
template <template <class, class, auto...> class N, class T, class U, auto... V>
    requires(sizeof...(V) > 0)
struct printer<N<T, U, V...>> {
    static constexpr Text get() {
        return listed(template_name(raw_name<N<T, U, V...>>()), print_types<T, U>(), print_values<V...>());
    }
};
template <template <auto, class...> class N, auto V, class... T>
    requires(sizeof...(T) > 0)
struct printer<N<V, T...>> {
    static constexpr Text get() {
        return listed(template_name(raw_name<N<V, T...>>()), print_value<V>(), print_types<T...>());
    }
};

// The norms: three holes, an epsilon, a schedule; the groups of GroupNorm come first.
template <template <class, class, class, auto, class> class N, class T, class U, class W, auto V, class S>
struct printer<N<T, U, W, V, S>> {
    static constexpr Text get() {
        return listed(template_name(raw_name<N<T, U, W, V, S>>()), print_types<T, U, W>(),
                      print_value<V>() + ", " + print<S>());
    }
};
template <template <auto, class, class, class, auto, class> class N, auto G, class T, class U, class W, auto V, class S>
struct printer<N<G, T, U, W, V, S>> {
    static constexpr Text get() {
        return listed(template_name(raw_name<N<G, T, U, W, V, S>>()), print_value<G>() + ", " + print_types<T, U, W>(),
                      print_value<V>() + ", " + print<S>());
    }
};

template <class T>
constexpr Text print() {
    if constexpr (requires { T::print(); }) return T::print();
    else return printer<T>::get();
}

}  // namespace detail

/// The name of a node, sink, frame or any type, as its user spells it. A type may give its own by `static print()`.
template <class T>
constexpr Text name() {
    return detail::print<T>();
}

}  // namespace inlay::inline INLAY_ABI
