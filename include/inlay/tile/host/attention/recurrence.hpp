// SPDX-License-Identifier: Apache-2.0
/// Rows of any attention for the loop: scores and weights are expressions, evaluated a vector of keys at a time; state
/// and its steps are those of the derived recurrence.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/tile/host/attention/hide.hpp>
#include <inlay/tile/host/attention/leaves.hpp>
#include <inlay/tile/host/attention/tile.hpp>

#include <algorithm>
#include <limits>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

/// A pass over the keys by recurrence R, number I of an attention's.
template <int I, class R>
struct RecurrencePass {
    using recurrence = R;
    using vectors_list = typename R::vectors;
    /// Distinct weights of its sums with V: each has a row of numbers.
    using kept = typename online::detail::weights<vectors_list>::type;
    static constexpr int number = I, weights = kept::size, vectors = vectors_list::size;

    template <class... V>
    static constexpr auto weights_of(types<V...>) {
        struct Places {
            int at[room_for<vectors>];
            constexpr int operator[](int i) const { return at[i]; }
        };
        return Places{{inlay::detail::index_in<kept, online::weight_of<V>>...}};
    }
    static constexpr auto weight_of = weights_of(vectors_list{});
};

namespace detail {

template <class Passes, class Seq>
struct numbered;
template <class... R, int... I>
struct numbered<types<R...>, std::integer_sequence<int, I...>> {
    using passes = types<RecurrencePass<I, R>...>;
    using states = pack<online::Row<R, float>...>;
    static constexpr int weights = inlay::detail::max_of({1, RecurrencePass<I, R>::weights...});
    static constexpr int vectors = inlay::detail::max_of({1, RecurrencePass<I, R>::vectors...});
};

}  // namespace detail

/// `scores`: the slots of the algebra's expressions, and as `out` the extents of scores. `store(batch, query, o)`
/// receives finished rows, `store_number(batch, query, x)` the number of each.
template <class Algebra, class Environment, class Store, class StoreNumber>
class RecurrenceRows {
    using Passes = typename Algebra::passes;
    using Numbered = detail::numbered<Passes, std::make_integer_sequence<int, Passes::size>>;
    using Numbers = RowNumbers<Passes>;
    static constexpr float infinity = std::numeric_limits<float>::infinity();

    const Environment& env_;
    const Bound<typename Algebra::score, Environment> score_;
    const HiddenKeys<typename Algebra::condition, Environment> hide_;
    const index_t heads_;
    const Store& store_;
    const StoreNumber& store_number_;

    Extents<4> place(index_t batch, index_t query, index_t key) const {
        return {{batch / heads_, batch % heads_, query, key}};
    }
    /// Products become scores, -infinity where they are hidden and from there to a whole vector.
    void score(const KeyRun& keys, float* s) const {
        const index_t n = keys.count;
        const Extents<4> at = place(keys.batch, keys.query, keys.first);
        if constexpr (Algebra::scales_out) {
            for (index_t j = 0; j < n; ++j) s[j] *= static_cast<float>(Algebra::scale);
        } else {
            evaluate_row(score_, at, n, s, s);
        }
        if (!Algebra::every_key && keys.masked) hide_(ScoreRow{at[0], at[1], at[2]}, keys.first, n, s);
        for (index_t j = n; j % host_lanes != 0; ++j) s[j] = -infinity;
    }
    template <class E>
    static float greatest(KeyMax<E>, const Numbers& numbers, const KeyRun& keys, const float* s) {
        fvec most = -infinity;
        for (index_t j = 0; j < keys.count; j += host_lanes) {
            const fvec score = fvec::load(s + j);
            const fvec x = online::evaluate<E, fvec>(KeyVectors<Numbers>{numbers, score, keys.first + j});
            most = (math::max)(most, math::select(math::eq(score, -infinity), -infinity, x));
        }
        return math::lane_max(most);
    }
    template <class... M>
    static void raise([[maybe_unused]] float* most, [[maybe_unused]] const Numbers& numbers,
                      [[maybe_unused]] const KeyRun& keys, [[maybe_unused]] const float* s, types<M...>) {
        ((*most++ = greatest(M{}, numbers, keys, s)), ...);
    }
    /// Weights of all keys of a block, and the sums over them.
    template <class Pass, class... W>
    static void weigh_keys(const online::Row<typename Pass::recurrence, float>& row, const Numbers& numbers,
                           const KeyRun& keys, float* const* kept_at, fvec* total, types<W...>) {
        using R = typename Pass::recurrence;
        using Leaves = KeyVectors<Numbers>;
        fvec most[room_for<R::maxima::size>];
        for (int i = 0; i < R::maxima::size; ++i) most[i] = fvec(row.most[i]);
        for (int i = 0; i < R::weights::size; ++i) total[i] = fvec(0.f);
        for (index_t j = 0; j < keys.count; j += host_lanes) {
            const Leaves at{numbers, fvec::load(kept_at[0] + j), keys.first + j};
            const online::detail::State<R, fvec, Leaves> state{most, most, nullptr, nullptr, at};
            const fvec hidden = math::eq(at.score, -infinity);
            [[maybe_unused]] int i = 0;
            [[maybe_unused]] const auto one = [&]<class Weight>(types<Weight>) {
                const fvec w = math::select(hidden, 0.f, online::evaluate<Weight, fvec>(state));
                total[i++] += w;
                constexpr int kept = inlay::detail::index_in<typename Pass::kept, Weight>;
                if constexpr (kept >= 0) w.store(kept_at[kept] + j);
            };
            (one(types<W>{}), ...);
        }
    }
    template <class R, class... S>
    static void add([[maybe_unused]] online::Row<R, float>& row, [[maybe_unused]] const fvec* total, types<S...>) {
        [[maybe_unused]] int i = 0;
        ((row.sum[i++] += math::lane_sum(total[inlay::detail::index_in<typename R::weights, online::weight_of<S>>])),
         ...);
    }
    void rescale(float* out, float by) const {
        if (by == 1.f) return;
        for (index_t j = 0; j < Algebra::dv; j += host_lanes) (fvec::load(out + j) * by).store(out + j);
    }

public:
    static constexpr int weights = Numbered::weights, vectors = Numbered::vectors;
    using passes = typename Numbered::passes;
    struct Row {
        typename Numbered::states states;
        Numbers numbers;
    };

    RecurrenceRows(const Environment& scores, index_t heads, const Store& store, const StoreNumber& store_number)
        : env_(scores), score_(scores), hide_(scores), heads_(heads), store_(store), store_number_(store_number) {}

    Row start(index_t batch, index_t query) const {
        Row row{};
        row.numbers.read(env_, place(batch, query, 0));
        return row;
    }
    template <class Pass>
    void weigh(Row& row, const KeyRun& keys, float* const* w, float* const* out) const {
        using R = typename Pass::recurrence;
        auto& state = get<Pass::number>(row.states);
        score(keys, w[0]);
        float most[room_for<R::maxima::size>], by[room_for<R::weights::size>];
        fvec total[room_for<R::weights::size>];
        std::fill(std::begin(most), std::end(most), -infinity);
        raise(most, row.numbers, keys, w[0], typename R::maxima{});
        state.advance(most, by, row.numbers);
        for (int i = 0; i < Pass::vectors; ++i) rescale(out[i], by[rescaled_by<Pass>(i, typename R::vectors{})]);
        weigh_keys<Pass>(state, row.numbers, keys, w, total, typename R::weights{});
        add(state, total, typename R::sums{});
    }
    template <class Pass>
    void end(Row& row, index_t batch, index_t query, float* const* out) const {
        using R = typename Pass::recurrence;
        const auto& state = get<Pass::number>(row.states);
        if constexpr (Pass::number + 1 < Passes::size) {
            keep(row, state, typename R::outputs{}, std::make_integer_sequence<int, R::outputs::size>{});
        } else {
            finish_columns<R>(state, row.numbers, out);
            store_(batch, query, out[0]);
            if constexpr (Algebra::stores_number)
                store_number_(batch, query, state.template output<1>(nullptr, row.numbers));
        }
    }

private:
    template <class Pass, class... V>
    static int rescaled_by(int i, types<V...>) {
        const int w[] = {inlay::detail::index_in<typename Pass::recurrence::weights, online::weight_of<V>>..., 0};
        return w[i];
    }
    template <class State, class... E, int... I>
    static void keep(Row& row, const State& state, types<E...>, std::integer_sequence<int, I...>) {
        ((row.numbers.result[inlay::detail::index_in<typename Numbers::known, TwoPass<E>>] =
              state.template output<I>(nullptr, row.numbers)),
         ...);
    }
    /// Output 0 in place of the first sum with V. Of a row without a visible key it is 0.
    template <class R>
    static void finish_columns(const online::Row<R, float>& row, const Numbers& numbers, float* const* out) {
        using E = type_at<0, typename R::finish>;
        using Leaves = ColumnVectors<Numbers>;
        if (row.empty()) {
            std::fill_n(out[0], Algebra::dv, 0.f);
            return;
        }
        fvec most[room_for<R::maxima::size>], sum[room_for<R::sums::size>], vector[room_for<R::vectors::size>];
        for (int i = 0; i < R::maxima::size; ++i) most[i] = fvec(row.most[i]);
        for (int i = 0; i < R::sums::size; ++i) sum[i] = fvec(row.sum[i]);
        const Leaves leaves{numbers};
        for (index_t j = 0; j < Algebra::dv; j += host_lanes) {
            for (int i = 0; i < R::vectors::size; ++i) vector[i] = fvec::load(out[i] + j);
            online::evaluate<E, fvec>(online::detail::State<R, fvec, Leaves>{most, most, sum, vector, leaves})
                .store(out[0] + j);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
