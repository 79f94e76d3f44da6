// SPDX-License-Identifier: Apache-2.0
/// The algebra of an attention: what engines and decisions derive from its form, as one type.
#pragma once

#include <inlay/expr/ternary.hpp>
#include <inlay/frame/attention/form.hpp>
#include <inlay/plan/attention/online.hpp>
#include <inlay/plan/attention/online/linear.hpp>
#include <inlay/plan/attention/visible_keys.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class Nodes>
inline constexpr bool has_out = false;
template <class... N>
inline constexpr bool has_out<types<N...>> = (std::is_same_v<N, Out> || ...);
/// True of a condition on the product of query and key: no set of keys, so that it stays in the score.
template <class E>
inline constexpr bool reads_out = has_out<nodes_of<E>>;

/// A score without the conditions under which it is hidden, which join `Condition`.
template <class Condition, class Score>
struct visible_score {
    using condition = Condition;
    using score = Score;
};
template <class A, class B>
struct both_conditions {
    using type = And<A, B>;
};
template <class B>
struct both_conditions<Const<1>, B> {
    using type = B;
};
template <class A>
struct both_conditions<A, Const<1>> {
    using type = A;
};
template <>
struct both_conditions<Const<1>, Const<1>> {
    using type = Const<1>;
};
/// The terms of a conjunction that are free of Out, and those that read it.
template <class C>
struct terms_of {
    using free = std::conditional_t<reads_out<C>, Const<1>, C>;
    using rest = std::conditional_t<reads_out<C>, C, Const<1>>;
};
template <class A, class B>
    requires reads_out<And<A, B>>
struct terms_of<And<A, B>> {
    using free = typename both_conditions<typename terms_of<A>::free, typename terms_of<B>::free>::type;
    using rest = typename both_conditions<typename terms_of<A>::rest, typename terms_of<B>::rest>::type;
};
template <class Condition, class Score>
    requires reads_out<Condition>
struct visible_score<Condition, Score>
    : visible_score<typename terms_of<Condition>::free, Where<typename terms_of<Condition>::rest, Score, HiddenScore>> {
};
template <class Condition, class C, class X>
    requires(!reads_out<Condition> && reads_out<C>)
struct visible_score<Condition, Where<C, X, HiddenScore>> {
    using visible = visible_score<typename both_conditions<Condition, typename terms_of<C>::free>::type, X>;
    using condition = typename visible::condition;
    using score = Where<typename terms_of<C>::rest, typename visible::score, HiddenScore>;
};
template <class Condition, class C, class X>
    requires(!reads_out<Condition> && !reads_out<C>)
struct visible_score<Condition, Where<C, X, HiddenScore>>
    : visible_score<typename both_conditions<Condition, C>::type, X> {};
template <class Condition, class C, class X>
    requires(!reads_out<Condition> && !reads_out<C>)
struct visible_score<Condition, Where<C, HiddenScore, X>>
    : visible_score<typename both_conditions<Condition, Not<C>>::type, X> {};

/// The constant factor of a score that is one times Out; 0 of others.
template <class E>
inline constexpr double factor_of_out = 0;
template <>
inline constexpr double factor_of_out<Out> = 1;
template <Real V>
inline constexpr double factor_of_out<Mul<Out, node::Const<V>>> = value_of(V);
template <Real V>
inline constexpr double factor_of_out<Mul<node::Const<V>, Out>> = value_of(V);
template <Real V>
inline constexpr double factor_of_out<Div<Out, node::Const<V>>> = 1 / value_of(V);

/// The logarithm to base 2 of a weight's base where it is the power of the score relative to the greatest one.
template <class W>
inline constexpr double log2_base_of = 0;
template <>
inline constexpr double log2_base_of<Exp<Sub<Score, KeyMax<Score>>>> = 1.4426950408889634;
template <>
inline constexpr double log2_base_of<Exp2<Sub<Score, KeyMax<Score>>>> = 1;

/// The same of a row, 0 unless it has one weight.
template <class Row>
inline constexpr double log2_base_of_row = 0;
template <class Row>
    requires(Row::weights::size == 1)
inline constexpr double log2_base_of_row<Row> = log2_base_of<type_at<0, typename Row::weights>>;

template <class Passes, class Row>
inline constexpr bool state_of_softmax = Passes::size == 1 && Row::maxima::size == 1 && Row::sums::size == 1 &&
                                         Row::vectors::size == 1 && log2_base_of_row<Row> > 0;
/// True if the vector of a row is its one sum with V over its one sum.
template <class Row>
inline constexpr bool is_quotient = false;
template <class Row>
    requires(Row::sums::size == 1 && Row::vectors::size == 1)
inline constexpr bool is_quotient<Row> =
    std::is_same_v<type_at<0, typename Row::finish>,
                   Div<type_at<0, typename Row::vectors>, type_at<0, typename Row::sums>>>;

template <class Output, class Number>
struct outputs_of_row {
    using type = types<Output, typename Number::number>;
};
template <class Output>
struct outputs_of_row<Output, NoRowStore> {
    using type = types<Output>;
};
template <class N>
inline constexpr bool stands_in_row = std::is_same_v<N, Score> || std::is_same_v<N, Values> ||
                                      std::is_same_v<N, SecondScore> || requires { requires N::over_keys; };
template <class N>
inline constexpr bool stands_in_score = std::is_same_v<N, Out> ||
                                        (is_coord<N> && online::reads_key<N>);

/// Leaves of scores and of rows where they belong.
template <class Nodes>
struct leaves_of_form;
template <class... N>
struct leaves_of_form<types<N...>> {
    static constexpr bool score = !(stands_in_row<N> || ...);
    static constexpr bool row = !(stands_in_score<N> || ...);
    static constexpr bool reads_out = (std::is_same_v<N, Out> || ...);
    static constexpr bool one_pair = !(std::is_same_v<N, SecondScore> || ...);
};

template <class List>
struct nodes_of_list;
template <class... E>
struct nodes_of_list<types<E...>> {
    using type = unite_types<types<>, nodes_of<E>...>;
};
template <class List>
struct passes_of_list;
template <class... E>
    requires online::OnlineRow<E...>
struct passes_of_list<types<E...>> {
    using type = online::passes_of<E...>;
};
/// A row that is refused: one sentence says why. A plain sum stands in for it, so that no other error follows.
template <class... E>
    requires(!online::OnlineRow<E...>)
struct passes_of_list<types<E...>> {
    static_assert(sizeof(online::detail::checked<online::blocked_in<E...>>) != 0);
    using sum = KeySum<Mul<Score, Values>>;
    using type =
        std::conditional_t<sizeof...(E) == 1, online::passes_of<sum>, online::passes_of<sum, KeyMax<Score>>>;
};
template <class List>
struct last_type;
template <class... T>
struct last_type<types<T...>> {
    using type = type_at<sizeof...(T) - 1, types<T...>>;
};

}  // namespace detail

template <class Form>
struct AttentionAlgebra {
    static constexpr int d = Form::d, dv = Form::dv;
    static_assert(detail::leaves_of_form<nodes_of<typename Form::condition>>::score &&
                      detail::leaves_of_form<nodes_of<typename Form::score>>::score,
                  "inlay: Score, Values and reductions stand in the row of an attention: its mask and its score are "
                  "over Out");
    static_assert(detail::leaves_of_form<nodes_of<typename Form::score>>::reads_out,
                  "inlay: the score of an attention does not read Out, the product of query and key");
    /// A key is visible where it is not 0; `Const<1>`: everywhere.
    using condition = typename detail::visible_score<typename Form::condition, typename Form::score>::condition;
    /// The score of a visible key, over Out.
    using score = typename detail::visible_score<typename Form::condition, typename Form::score>::score;
    static constexpr bool every_key = std::is_same_v<condition, Const<1>>;

    /// The vector of a row, and the number of it that is stored.
    using outputs = typename detail::outputs_of_row<typename Form::output, typename Form::number>::type;
    static_assert(detail::leaves_of_form<typename detail::nodes_of_list<outputs>::type>::row,
                  "inlay: Out and the coordinate of the key stand in the score of an attention: its row is over Score "
                  "and Values");
    static_assert(detail::leaves_of_form<typename detail::nodes_of_list<outputs>::type>::one_pair,
                  "inlay: Attention has one pair of Q and K: SecondScore in its row has no value");
    using number = typename Form::number;
    static constexpr bool stores_number = !std::is_same_v<number, NoRowStore>;
    /// The recurrences of a row, one for each pass over the keys, and the last of them.
    using passes = typename detail::passes_of_list<outputs>::type;
    using row = typename detail::last_type<passes>::type;
    static_assert(online::is_vector<type_at<0, typename row::finish>>,
                  "inlay: the row of an attention has no Values in it: its result would have no columns");
    static_assert(!stores_number || !online::is_vector<typename detail::last_type<typename row::finish>::type>,
                  "inlay: RowStore stores a number of each row: Values cannot stand in it");

    /// True if a score is Out times a positive constant, `scale`: registers then keep products as they are.
    static constexpr double scale = detail::factor_of_out<score>;
    static constexpr bool scales_out = scale > 0;
    /// True if the state of a row is that of softmax: a maximum, a sum of powers relative to it, and their sum with V.
    static constexpr bool softmax_state = detail::state_of_softmax<passes, row>;
    /// The logarithm to base 2 of the powers' base, where `softmax_state`.
    static constexpr double log2_base = detail::log2_base_of_row<row>;
    /// True of softmax itself: the vector is the quotient of both sums.
    static constexpr bool softmax = softmax_state && detail::is_quotient<row>;
    /// True if products are exponents of 2 as they are.
    static constexpr bool binary = softmax && scales_out && scale == 1 && log2_base == 1;
};

}  // namespace inlay::inline INLAY_ABI
