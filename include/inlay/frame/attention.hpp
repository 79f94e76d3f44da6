// SPDX-License-Identifier: Apache-2.0
/// Attention, flash form: y[b, h, q, :] = Σ_k softmax_k(score(Q·K) + mask) V. Scores never reach memory.
///
/// Holes: Q [B, H, Sq, D], K and V [B, Hkv, Skv, D] as expressions (usually permuted, reshaped or sliced views); as
/// options the mask, score, epilogue over Out, sink and schedule. Hkv divides H (grouped queries). Accumulates in fp32;
/// a fully masked row gives 0. 4·B·H·Sq·Skv·D FLOPs without a mask; moves Q, K, V and the output once.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/frame/options.hpp>

namespace inlay::inline INLAY_ABI {

/// Masks are types. Neither query q nor any before it attends to a key from `end` on; `prefix`: q attends to all
/// before. `identity`: every query attends to every key.
namespace mask {
struct Full {
    static constexpr bool identity = true, prefix = true;
    INLAY_FN static constexpr index_t end(index_t, index_t, index_t keys) { return keys; }
    INLAY_FN static constexpr bool visible(index_t, index_t, index_t, index_t) { return true; }
};
/// Query q of Sq attends to keys up to q + Skv − Sq: the last query to all.
struct Causal {
    static constexpr bool identity = false, prefix = true;
    /// One past the last key that query `q` attends to.
    INLAY_FN static constexpr index_t end(index_t q, index_t queries, index_t keys) {
        const index_t e = q + 1 + keys - queries;
        return e < 0 ? 0 : e > keys ? keys : e;
    }
    INLAY_FN static constexpr bool visible(index_t q, index_t k, index_t queries, index_t keys) {
        return k < end(q, queries, keys);
    }
};
}  // namespace mask

/// Scores are types: the factor of Q·K before the exponential. `binary`: ln 2, so that probabilities are powers of two
/// of Q·K as it is.
namespace score {
/// e^(Q·K / √D), as usual.
struct Scaled {
    static constexpr bool binary = false;
    static double scale(int d) { return 1.0 / math::sqrt(static_cast<double>(d)); }
};
/// 2^(Q·K), of queries that the kernel before has multiplied by `factor` while it had them in fp32.
struct Base2 {
    static constexpr bool binary = true;
    static double scale(int) { return 0.6931471805599453; }
    /// log2(e) / √D: 2^(factor · Q·K) = e^(Q·K / √D).
    static double factor(int d) { return 1.4426950408889634 * Scaled::scale(d); }
};
}  // namespace score

/// Kinds of options that attention alone has.
struct mask_option {
    template <class T>
    static constexpr bool is = requires(index_t i) { T::identity, T::prefix, T::end(i, i, i), T::visible(i, i, i, i); };
    using fallback = mask::Full;
};
struct score_option {
    template <class T>
    static constexpr bool is = requires(int d) { T::binary, T::scale(d); };
    using fallback = score::Scaled;
};

/// Options, in any order: a mask, a score, an epilogue over Out, a sink, a schedule.
template <int D, class Q = void, class K = void, class V = void, class... Options>
struct Attention : frame_tag {
    using kinds = option_kinds<mask_option, score_option, epilogue_option, sink_option, schedule_option>;
    static_assert(D >= 1 && D <= 512, "inlay: the head dimension of Attention is 1 to 512");
    static_assert(!std::is_void_v<V> && (detail::is_operand<V> || !kinds::is<V>),
                  "inlay: Attention has no V: expected D, the expressions Q, K and V, then options");
    static_assert(!gives_frame<Options...>, "inlay: Attention takes no frame: expected a mask, a score, an epilogue "
                                            "over Out, a sink or a schedule after V");
    static_assert(!gives_tensor<Options...>, "inlay: Attention takes no tensor: expected a mask, a score, an epilogue "
                                             "over Out, a sink or a schedule after V");
    static_assert(!gives_number<Options...>, "inlay: Attention takes no number type: expected a mask, a score, an "
                                             "epilogue over Out, a sink or a schedule after V");
    static_assert((kinds::is<Options> && ...) || gives_frame<Options...> || gives_tensor<Options...> ||
                      gives_number<Options...>,
                  "inlay: Attention takes no option of this kind: expected a mask, a score, an epilogue over Out, a "
                  "sink or a schedule after V, none of them const");
    static_assert(at_most_one<mask_option, Options...>,
                  "inlay: Attention has two masks: expected at most one, mask::Full or mask::Causal");
    static_assert(at_most_one<score_option, Options...>,
                  "inlay: Attention has two scores: expected at most one, score::Scaled or score::Base2");
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
    static constexpr int weights = 0;
    static constexpr int d = D;
    static constexpr const char* kind = "attention";
    using calls = attention_member;

    struct Work : Problem<4> {
        index_t heads, group, queries, keys;
        double scale;
    };

    template <int RQ, int RK, int RV>
    static auto shape(const Extents<RQ>& q, const Extents<RK>& k, const Extents<RV>& v) {
        static_assert(RQ == 4 && RK == 4 && RV == 4, "inlay: Q, K and V of Attention have extents [B, heads, S, D]");
        require(q[3] == D && k[3] == D && v[3] == D, name<Attention>(), ": the head dimension is ", D, ", Q is ",
                text(q), ", K is ", text(k), ", V is ", text(v));
        require(k[2] == v[2], name<Attention>(), ": K has ", k[2], " keys, V ", v[2]);
        require(k[1] == v[1], name<Attention>(), ": K has ", k[1], " heads, V ", v[1]);
        require(k[0] == q[0] && v[0] == q[0], name<Attention>(), ": Q has a batch of ", q[0], ", K of ", k[0],
                ", V of ", v[0]);
        require(k[1] > 0 ? q[1] % k[1] == 0 : q[1] == 0, name<Attention>(), ": ", q[1],
                " query heads are not a multiple of ", k[1], " key heads");
        Work p{};
        p.out = q;
        p.heads = q[1];
        p.group = q[1] > 0 ? q[1] / k[1] : 1;
        p.queries = q[2];
        p.keys = k[2];
        p.scale = score::scale(D);
        double pairs = static_cast<double>(p.queries) * static_cast<double>(p.keys);
        if constexpr (!mask::identity) {
            pairs = 0;
            for (index_t i = 0; i < p.queries; ++i) pairs += static_cast<double>(mask::end(i, p.queries, p.keys));
        }
        p.flops = 4.0 * static_cast<double>(q[0] * q[1]) * pairs * D;
        return p;
    }

    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        const Work& w = p.problem;
        target.template attention<mask, D, score>({w.out[0], w.heads, w.group, w.queries, w.keys}, w.scale,
                                                  get<0>(p.in), get<1>(p.in), get<2>(p.in), p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
