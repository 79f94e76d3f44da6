// SPDX-License-Identifier: Apache-2.0
/// Names of weights as types: that of a tensor, or of a module with a weight and a bias, in the file of a model. They
/// stay in the types of layers and reach no kernel.
#pragma once

#include <inlay/core/config.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace inlay::inline INLAY_ABI::planner {

/// A string literal as a template argument of a function. Types hold `Letters`: nvcc cannot print an argument of class
/// type to the host compiler.
template <std::size_t N>
struct Name {
    char letters[N] = {};
    constexpr Name(const char (&text)[N]) {
        for (std::size_t i = 0; i < N; ++i) letters[i] = text[i];
    }
};

template <char... C>
struct Letters {
    static constexpr char text[] = {C..., 0};
    static constexpr std::string_view view() { return {text, sizeof...(C)}; }
};

namespace detail {
template <Name Text, std::size_t... I>
constexpr auto letters_of(std::index_sequence<I...>) {
    return Letters<Text.letters[I]...>{};
}
}  // namespace detail

template <Name Text>
using letters = decltype(detail::letters_of<Text>(std::make_index_sequence<sizeof(Text.letters) - 1>{}));

/// The tensor of a module that a name is of: the name is the tensor's own, or the module's.
enum class Field : unsigned char { whole, weight, bias };
constexpr std::string_view suffix(Field f) {
    return f == Field::weight ? ".weight" : f == Field::bias ? ".bias" : "";
}

}  // namespace inlay::inline INLAY_ABI::planner
