// SPDX-License-Identifier: Apache-2.0
/// Attention, flash form: a row of the result is made of reductions over the keys, in one pass; of softmax
/// y[b, h, q, :] = Σ_k softmax_k(score(Q·K)) V. Scores never reach memory.
///
/// Holes: Q [B, H, Sq, D], K [B, Hkv, Skv, D] and V [B, Hkv, Skv, DV] as expressions (usually permuted, reshaped or
/// sliced views); as options the mask, score, row, a number of each row to be stored, columns of V, epilogue over Out,
/// sink and schedule. Hkv divides H (grouped queries). Accumulates in fp32; a row without a visible key gives 0.
/// 2·B·H·Sq·Skv·(D + DV) FLOPs without a mask; moves Q, K, V and the output once.
#pragma once

#include <inlay/expr/ternary.hpp>
#include <inlay/expr/valid.hpp>
#include <inlay/frame/attention/form.hpp>
#include <inlay/frame/attention/mask.hpp>
#include <inlay/frame/attention/row.hpp>
#include <inlay/frame/attention/score.hpp>
#include <inlay/frame/options.hpp>

namespace inlay::inline INLAY_ABI {

/// Columns of V and of the result, where they are not as many as those of Q and K. An option of Attention.
template <int DV>
struct ValueColumns {
    static_assert(DV >= 1 && DV <= 512, "inlay: the columns of V of Attention are 1 to 512");
    static constexpr int value_columns = DV;
};

/// Kinds of options that attention alone has.
struct mask_option {
    template <class T>
    static constexpr bool is = requires { typename T::condition; } && !detail::is_operand<T>;
    using fallback = mask::Full;
};
struct score_option {
    template <class T>
    static constexpr bool is = requires { typename T::template of<1>; };
    using fallback = score::Scaled;
};
struct row_option {
    template <class T>
    static constexpr bool is = requires { typename T::output; } && !detail::is_operand<T>;
    using fallback = void;
};
struct row_store_option {
    template <class T>
    static constexpr bool is = requires { T::row_slot; };
    using fallback = NoRowStore;
};
struct value_columns_option {
    template <class T>
    static constexpr bool is = requires { T::value_columns; };
    using fallback = void;
};

namespace detail {

/// The row of an attention: the one given, else softmax to the score's base.
template <class Score, class Given>
struct row_of {
    using type = Given;
};
template <class Score>
struct row_of<Score, void> {
    using type = std::conditional_t<Score::binary, row::Softmax2, row::Softmax>;
};
template <int D, class Given>
inline constexpr int value_columns_of = Given::value_columns;
template <int D>
inline constexpr int value_columns_of<D, void> = D;

/// The nodes of a row, and of the number of it that is stored, in which slots are found.
template <class Output, class Number>
struct row_parts {
    using type = types<Output, typename Number::number, Store<Number::row_slot>>;
};
template <class Output>
struct row_parts<Output, NoRowStore> {
    using type = types<Output>;
};

/// True for a power of e of the score among nodes.
template <class Node>
inline constexpr bool is_natural_power = false;
template <class E>
inline constexpr bool is_natural_power<Exp<E>> = index_in<nodes_of<E>, inlay::Score> >= 0;
template <class Nodes>
inline constexpr bool has_natural_power = false;
template <class... N>
inline constexpr bool has_natural_power<types<N...>> = (is_natural_power<N> || ...);
template <class Output, class Number>
constexpr bool has_powers_of_e() {
    if constexpr (std::is_void_v<Number>) return has_natural_power<nodes_of<Output>>;
    else return has_natural_power<nodes_of<Output>> || has_natural_power<nodes_of<Number>>;
}

/// Throws where a slot of a row does not broadcast over [B, heads, Sq, 1].
template <class Node, class Environment>
void check_row_slot(const Environment& env, const Extents<4>& rows) {
    if constexpr (is_buf<Node>) {
        static_assert(rank_of<Node, Environment> <= 4, "inlay: a tensor of a row of attention has a higher rank than "
                                                       "[B, heads, Sq, 1]");
        const auto e = extents_of<Node>(env);
        require(broadcast_extents(e, rows) == rows, "the row reads ", name<Node>(), " with extents ", text(e),
                ", which do not broadcast over its rows ", text(rows));
    }
}
template <class Environment, class... Node>
void check_row_slots(const Environment& env, types<Node...>) {
    Extents<4> rows = env.out;
    rows[3] = 1;
    (check_row_slot<Node>(env, rows), ...);
}

}  // namespace detail

/// Options, in any order: a mask, a score, a row, a row store, columns of V, an epilogue over Out, a sink, a schedule.
template <int D, class Q = void, class K = void, class V = void, class... Options>
struct Attention : frame_tag {
    using kinds = option_kinds<mask_option, score_option, row_option, row_store_option, value_columns_option,
                               epilogue_option, sink_option, schedule_option>;
    static_assert(D >= 1 && D <= 576, "inlay: the head dimension of Attention is 1 to 576");
    static_assert(!std::is_void_v<V> && (detail::is_operand<V> || !kinds::is<V>),
                  "inlay: Attention has no V: expected D, the expressions Q, K and V, then options");
    static_assert(!gives_frame<Options...>, "inlay: Attention takes no frame: expected a mask, a score, a row, an "
                                            "epilogue over Out, a sink or a schedule after V");
    static_assert(!gives_tensor<Options...>, "inlay: Attention takes no tensor: expected a mask, a score, a row, an "
                                             "epilogue over Out, a sink or a schedule after V");
    static_assert(!gives_number<Options...>, "inlay: Attention takes no number type: expected a mask, a score, a row, "
                                             "an epilogue over Out, a sink or a schedule after V");
    static_assert((kinds::is<Options> && ...) || gives_frame<Options...> || gives_tensor<Options...> ||
                      gives_number<Options...>,
                  "inlay: Attention takes no option of this kind: expected a mask, a score, a row, a RowStore, "
                  "ValueColumns, an epilogue over Out, a sink or a schedule after V, none of them const");
    static_assert(at_most_one<mask_option, Options...>,
                  "inlay: Attention has two masks: expected at most one, such as mask::Causal; mask::If takes a "
                  "conjunction");
    static_assert(at_most_one<score_option, Options...>,
                  "inlay: Attention has two scores: expected at most one, such as score::Scaled or score::Of<...>");
    static_assert(at_most_one<row_option, Options...>,
                  "inlay: Attention has two rows: expected at most one, such as row::Softmax or row::Of<...>");
    static_assert(at_most_one<row_store_option, Options...>,
                  "inlay: Attention has two row stores: expected at most one, RowStore<output, number of the row>");
    static_assert(at_most_one<value_columns_option, Options...>,
                  "inlay: Attention has ValueColumns twice: expected at most one");
    static_assert(at_most_one<epilogue_option, Options...>,
                  "inlay: Attention has two epilogues: expected at most one expression over Out");
    static_assert(at_most_one<sink_option, Options...>,
                  "inlay: Attention has two sinks: expected at most one, Store<0> or one over it");
    static_assert(at_most_one<schedule_option, Options...>,
                  "inlay: Attention has two schedules: expected at most one, Auto or Tiled<M, N, K>");
    using prologues = types<Q, K, V>;
    using epilogue = option_of<epilogue_option, Options...>;
    using sink = option_of<sink_option, Options...>;
    using mask = option_of<mask_option, Options...>;
    using schedule = option_of<schedule_option, Options...>;
    using score = option_of<score_option, Options...>;
    using row = typename detail::row_of<score, option_of<row_option, Options...>>::type;
    using row_store = option_of<row_store_option, Options...>;
    static constexpr bool one_base() {
        if constexpr (!requires { requires score::binary; }) return true;
        else return !detail::has_powers_of_e<typename row::output, typename row_store::number>();
    }
    static_assert(one_base(), "inlay: score::Base2 is of powers of 2, the row of this attention or its RowStore has "
                              "powers of e: expected Exp2 of Score, or score::Scaled");
    static constexpr int weights = 0;
    static constexpr int d = D, dv = detail::value_columns_of<D, option_of<value_columns_option, Options...>>;
    static constexpr const char* kind = "attention";
    using calls = attention_member;

    using form =
        AttentionForm<D, dv, typename mask::condition, typename score::template of<D>, typename row::output, row_store>;
    /// The expression of a score, and of the row behind it.
    using inner = Where<typename form::condition, typename form::score, HiddenScore>;
    using inner_parts = join_types<types<inner>, typename detail::row_parts<typename form::output, row_store>::type>;

    struct Work : Problem<4> {
        index_t heads, group, queries, keys;
        Extents<4> inner;       ///< of scores
    };

    template <int RQ, int RK, int RV>
    static auto shape(const Extents<RQ>& q, const Extents<RK>& k, const Extents<RV>& v) {
        static_assert(RQ == 4 && RK == 4 && RV == 4, "inlay: Q, K and V of Attention have extents [B, heads, S, D]");
        require(q[3] == D && k[3] == D && v[3] == dv, name<Attention>(), ": the head dimension is ", D,
                dv == D ? Text() : ", of V " + decimal_text(dv), ", Q is ", text(q), ", K is ", text(k), ", V is ",
                text(v));
        require(k[2] == v[2], name<Attention>(), ": K has ", k[2], " keys, V ", v[2]);
        require(k[1] == v[1], name<Attention>(), ": K has ", k[1], " heads, V ", v[1]);
        require(k[0] == q[0] && v[0] == q[0], name<Attention>(), ": Q has a batch of ", q[0], ", K of ", k[0],
                ", V of ", v[0]);
        require(k[1] > 0 ? q[1] % k[1] == 0 : q[1] == 0, name<Attention>(), ": ", q[1],
                " query heads are not a multiple of ", k[1], " key heads");
        Work p{};
        p.out = q;
        p.out[3] = dv;
        p.heads = q[1];
        p.group = q[1] > 0 ? q[1] / k[1] : 1;
        p.queries = q[2];
        p.keys = k[2];
        p.inner = {{q[0], q[1], q[2], k[2]}};
        p.flops = 2.0 * static_cast<double>(q[0] * q[1]) * static_cast<double>(p.queries) *
                  static_cast<double>(p.keys) * (D + dv);
        return p;
    }
    /// Throws where a tensor of the score or the row, or the output of a number of it, does not fit.
    template <class Environment, class Outs>
    static void check_inner(const Environment& env, const Outs& outs) {
        const auto e = extents_of<inner>(env);
        require(e == env.out, name<Attention>(), ": the score ", name<typename form::score>(), " under ",
                name<typename form::condition>(), " has extents ", text(e), ", expected those of scores, ",
                text(env.out));
        detail::check_row_slots(env, nodes_of<typename form::output>{});
        if constexpr (!std::is_same_v<row_store, NoRowStore>) {
            detail::check_row_slots(env, nodes_of<typename row_store::number>{});
            const auto& to = get<row_store::row_slot>(outs);
            static_assert(std::remove_cvref_t<decltype(to)>::rank == 3,
                          "inlay: a number of each row is stored to an output [B, heads, Sq]");
            const Extents<3> rows{{env.out[0], env.out[1], env.out[2]}};
            require(to.extents == rows, name<Attention>(), ": the numbers of rows are ", text(rows), ", output ",
                    row_store::row_slot, " is ", text(to.extents));
        }
    }

    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        const Work& w = p.problem;
        target.template attention<form>({w.out[0], w.heads, w.group, w.queries, w.keys}, get<0>(p.in), get<1>(p.in),
                                        get<2>(p.in), p.inner, p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
