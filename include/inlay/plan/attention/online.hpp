// SPDX-License-Identifier: Apache-2.0
/// Generalised online reduction: attention of a row, written as expressions over its keys, as a recurrence over blocks
/// of keys. Softmax is one instance, and nothing here looks for it.
///
///     running maxima m; sums l of weights w(key, m), sums o of w(key, m) · V
///     a block: m' = max(m, block), then l, o times r'/r, then l, o plus those of the block
///     two parts of the keys: the same, both brought to the greater maxima, first part first
///     the end: outputs from m, l, o
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/plan/attention/online/hidden.hpp>
#include <inlay/plan/attention/online/lag.hpp>

namespace inlay::inline INLAY_ABI::online {

namespace detail {

template <class T>
struct blocked_term {
    using type = void;
};
template <class Term, class Fault>
struct blocked_term<Blocked<Term, Fault>> {
    using type = Blocked<Term, Fault>;
};
template <class Nodes>
struct first_blocked;
template <class... N>
struct first_blocked<types<N...>> : first_of<typename blocked_term<N>::type...> {};

template <class E>
struct output_fault {
    using blocked = typename first_blocked<nodes_of<E>>::type;
    using type = std::conditional_t<std::is_void_v<blocked> && reads_key<E>, Blocked<E, OpenKey>, blocked>;
};

/// True for a fault of one kind. Compilers print it with its arguments: the term stands beside the sentence.
template <class BlockingTerm, class Fault, class Kind>
inline constexpr bool blocks = std::is_same_v<Fault, Kind>;

template <class BlockingTerm, class Fault>
struct sentence {
    static_assert(!blocks<BlockingTerm, Fault, NoProduct>,
                  "inlay: attention cannot be computed in one pass over the keys: BlockingTerm joins the key and a "
                  "reduction in a way that is no product of a factor of each; TwoPass<reduction> takes a pass more");
    static_assert(!blocks<BlockingTerm, Fault, InnerValues>,
                  "inlay: Values is a factor of a sum over keys: BlockingTerm, a function of it, belongs into the "
                  "expression of V");
    static_assert(!blocks<BlockingTerm, Fault, InnerVector>,
                  "inlay: BlockingTerm is a sum with Values below another reduction: it can only be an output");
    static_assert(!blocks<BlockingTerm, Fault, OpenKey>,
                  "inlay: BlockingTerm is no reduction: outputs of attention read Score and Values inside of KeySum "
                  "and KeyMax");
    static_assert(!blocks<BlockingTerm, Fault, OpenTwoPass>,
                  "inlay: TwoPass is of a number: it stands over reductions of scores, as TwoPass<KeyMax<Score>> does, "
                  "not over BlockingTerm");
};
template <class Fault>
struct checked : sentence<typename Fault::term, typename Fault::fault> {};
template <>
struct checked<void> {};
/// Nodes, looked at one by one: those refuse operands that are no expressions before anything is derived from them.
template <class... Nodes>
struct complete {};

}  // namespace detail

/// The first term of the outputs for which there is no one pass, as `Blocked<Term, Fault>`, or void.
template <class... Output>
using blocked_in = typename detail::first_of<typename detail::output_fault<derived<Output>>::type...>::type;

/// Outputs that one pass over the keys computes, but for passes that are marked by TwoPass.
template <class... Output>
concept OnlineRow = std::is_void_v<blocked_in<Output...>>;

/// The recurrence of some outputs. Everything is in its types:
/// `maxima`, `sums` and `vectors`, the state: KeyMax<E>, KeySum<W>, KeySum<Mul<W, Values>>;
/// `weights`, the distinct W, and `rescales`, the factor of each;
/// `finish`, an expression of the state for each output.
template <class... Output>
struct Recurrence : detail::complete<nodes_of<Output>...>, detail::checked<blocked_in<Output...>> {
    static_assert(sizeof...(Output) > 0, "inlay: a row of attention has an output");
    using outputs = types<Output...>;
    using finish = types<derived<Output>...>;
    using reductions = unite_types<types<>, reductions_of<derived<Output>>...>;
    using maxima = detail::chosen<detail::is_maximum, reductions>;
    using vectors = detail::chosen<detail::is_vector_sum, reductions>;
    using written_sums = detail::chosen<detail::is_scalar_sum, reductions>;

    static constexpr int guarding_sum = detail::guarding_sum<vectors, written_sums>;
    /// True where outputs with V are 0 as that sum is: weights of a row with keys may all underflow.
    static constexpr bool sum_guards =
        guarding_sum >= 0 && ((!is_vector<derived<Output>> || detail::vanishes<derived<Output>>) && ...);
    static constexpr int guarding_maximum = inlay::detail::index_in<maxima, KeyMax<Score>>;
    static constexpr RowGuard guard = (detail::zero_without_keys<derived<Output>> && ...) ? RowGuard::none
                                      : sum_guards                                       ? RowGuard::sum
                                      : guarding_maximum >= 0                            ? RowGuard::maximum
                                                                                         : RowGuard::count;
    using sums = std::conditional_t<guard == RowGuard::count,
                                    unite_types<written_sums, types<KeySum<Const<1.0>>>>, written_sums>;
    static constexpr int count = inlay::detail::index_in<sums, KeySum<Const<1.0>>>;
    using weights = unite_types<typename detail::weights<vectors>::type, typename detail::weights<sums>::type>;

    using ratios = typename detail::ratios_of<weights>::type;
    /// True if maxima serve as the numbers that weights are relative to, and outputs do not depend on them: the state
    /// may then keep others as long as weights stay in range, which saves most rescaling.
    static constexpr bool maxima_may_lag =
        detail::moves_all<ratios, maxima> && detail::stays<ratios, derived<Output>...>;
};

namespace detail {

/// Passes before the one in which E can be computed.
template <class E, class Children = typename E::children>
inline constexpr int passes_before = 0;
template <class E, class... C>
inline constexpr int passes_before<E, types<C...>> = inlay::detail::max_of({0, passes_before<C>...});
template <class E>
inline constexpr int passes_before<TwoPass<E>, types<E>> = 1 + passes_before<E>;

/// The operands of the TwoPass nodes of a list whose pass is number `Pass`, from 1.
template <int Pass, class Nodes>
struct computed_by;
template <int Pass, class Node>
struct computed_in {
    using type = types<>;
};
template <int Pass, class E>
    requires(passes_before<TwoPass<E>> == Pass)
struct computed_in<Pass, TwoPass<E>> {
    using type = types<E>;
};
template <int Pass, class... N>
struct computed_by<Pass, types<N...>> {
    using type = join_types<typename computed_in<Pass, N>::type...>;
};

template <class List>
struct recurrence_of;
template <class... E>
struct recurrence_of<types<E...>> {
    using type = Recurrence<E...>;
};

template <class Seq, class... Output>
struct passes;
template <int... I, class... Output>
struct passes<std::integer_sequence<int, I...>, Output...> {
    using nodes = unite_types<types<>, nodes_of<Output>...>;
    using type =
        types<typename recurrence_of<typename computed_by<I + 1, nodes>::type>::type..., Recurrence<Output...>>;
};

}  // namespace detail

/// The recurrences of outputs, one after the other: those of TwoPass, inner ones first, then that of the outputs.
template <class... Output>
using passes_of = typename detail::passes<
    std::make_integer_sequence<int, inlay::detail::max_of({0, detail::passes_before<Output>...})>, Output...>::type;

}  // namespace inlay::inline INLAY_ABI::online
