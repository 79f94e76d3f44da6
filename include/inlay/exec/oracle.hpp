// SPDX-License-Identifier: Apache-2.0
/// The oracle: a target that runs any frame in double, naively, element by element. Every other target is tested
/// against it. It shares the statement of a frame with them, but no evaluation, blocking, packing or reduction.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/exec/oracle/attention_row.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/expr/reference.hpp>
#include <inlay/frame/row_operation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI {

class Oracle {
public:
    static constexpr bool takes_fp64 = true;

    template <int R, class In, class Sink>
    void map(const Extents<R>& e, const In& in, const Sink& sink) {
        each_row(e, [&](const Extents<R>& c) { write(sink, c, evaluate(in, c, e.back(0))); });
    }

    /// A row in double, for the operation of a row frame.
    struct Row {
        using value = double;
        std::vector<double>& x;

        index_t size() const { return static_cast<index_t>(x.size()); }
        Moments<double> moments() const {
            double mean = 0, m2 = 0;
            for (const double v : x) mean += v / static_cast<double>(x.size());
            for (const double v : x) m2 += (v - mean) * (v - mean);
            return {mean, m2};
        }
        double sum_of_squares() const {
            double s = 0;
            for (const double v : x) s += v * v;
            return s;
        }
        template <class G, class B>
        void scale_shift(double mean, double rstd, const G& gamma, const B& beta) {
            index_t j = 0;
            for (double& v : x) {
                v = (v - mean) * rstd * from_storage<double>(gamma({{j}})) + from_storage<double>(beta({{j}}));
                ++j;
            }
        }
        template <class F>
        void each(F&& f) {
            for (double& v : x) v = f(v);
        }
        template <class G>
        void scale(double by, const G& gamma) {
            index_t j = 0;
            for (double& v : x) v *= by * from_storage<double>(gamma({{j++}}));
        }
        void softmax() {
            double m = -std::numeric_limits<double>::infinity(), s = 0;
            for (const double v : x) m = (math::max)(m, v);
            for (double& v : x) s += v = std::exp(v - m);
            for (double& v : x) v /= s;
        }
    };
    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        if constexpr (check_row_operation<Op>())
            each_row(e, [&](const Extents<R>& c) {
                std::vector<double> x = evaluate(in, c, e.back(0));
                Row row{x};
                op(row);
                finish(epilogue, sink, c, x);
            });
    }

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        static_assert(is_tensor<W>, "inlay: the oracle reads plain weights, not packed ones");
        const index_t depth = s.segments * s.k;
        std::vector<double> a(static_cast<std::size_t>(depth)), acc(static_cast<std::size_t>(s.n));
        for (index_t b = 0; b < s.batch; ++b)
            for (index_t m = 0; m < s.m; ++m) {
                for (index_t t = 0; t < s.segments; ++t) {
                    decltype(place(b, m)) c;
                    const auto to = a.begin() + t * s.k;
                    if (rows.at(rows.row(b, m), t, c)) std::ranges::copy(evaluate(in, c, s.k), to);
                    else std::fill(to, to + s.k, 0.0);
                }
                const auto* panel = w.data + b * s.n * depth;
                for (index_t n = 0; n < s.n; ++n) {
                    double sum = 0;
                    for (index_t i = 0; i < depth; ++i)
                        sum += a[static_cast<std::size_t>(i)] * from_storage<double>(panel[n * depth + i]);
                    acc[static_cast<std::size_t>(n)] = sum;
                }
                if constexpr (gated<typename Epilogue::expression>) epilogue_gated(epilogue, sink, place(b, m), acc);
                else finish(epilogue, sink, place(b, m), acc);
            }
    }

    template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
    void group_norm(const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
        const index_t channels = e.back(0), width = channels / Groups;
        std::vector<double> row;
        Extents<R> item = e;
        item[0] = 1;
        const double n = static_cast<double>(count(item)) / Groups;
        for (index_t b = 0; b < e[0]; ++b) {
            std::vector<double> mean(Groups), m2(Groups);
            const auto pass = [&](auto&& f) {
                each_row(item, [&](Extents<R> c) {
                    c[0] = b;
                    row = evaluate(in, c, channels);
                    f(c);
                });
            };
            const auto group = [&](index_t j) { return static_cast<std::size_t>(j / width); };
            pass([&](const auto&) {
                for (index_t j = 0; j < channels; ++j) mean[group(j)] += row[static_cast<std::size_t>(j)] / n;
            });
            pass([&](const auto&) {
                for (index_t j = 0; j < channels; ++j) {
                    const double d = row[static_cast<std::size_t>(j)] - mean[group(j)];
                    m2[group(j)] += d * d;
                }
            });
            pass([&](const Extents<R>& c) {
                for (index_t j = 0; j < channels; ++j) {
                    auto& x = row[static_cast<std::size_t>(j)];
                    x = (x - mean[group(j)]) / std::sqrt(m2[group(j)] / n + eps) * from_storage<double>(gamma({{j}})) +
                        from_storage<double>(beta({{j}}));
                }
                finish(epilogue, sink, c, row);
            });
        }
    }

    template <class Op, bool, int R, class In, class Epilogue, class Sink>
    void reduce(const Extents<R>& kept, const Extents<R>& reduced, double n, const In& in, const Epilogue& epilogue,
                const Sink& sink) {
        for (index_t o = 0; o < count(kept); ++o) {
            const Extents<R> c = unravel(o, kept);
            double total = Op::identity;
            for (index_t i = 0; i < count(reduced); ++i) {
                const Extents<R> d = unravel(i, reduced);
                Extents<R> at;
                for (int k = 0; k < R; ++k) at[k] = c[k] + d[k];
                total = Op::combine(total, evaluate(in, at, 1)[0]);
            }
            finish(epilogue, sink, c, {Op::finish(total, n)});
        }
    }

    /// `scores`: slots of the form's expressions, and as `out` the extents of scores. A row without a visible key gives
    /// 0, and of the number that is stored 0 instead of NaN.
    template <class Form, class Q, class K, class V, class Environment, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Environment& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        std::vector<std::vector<double>> keys, values;
        each_row(Extents<4>{{s.batch, s.heads, s.queries, Form::dv}}, [&](const Extents<4>& c) {
            if (c[2] == 0) {
                keys.clear(), values.clear();
                for (index_t j = 0; j < s.keys; ++j) {
                    const Extents<4> key{{c[0], c[1] / s.group, j, 0}};
                    keys.push_back(evaluate(k, key, Form::d));
                    values.push_back(evaluate(v, key, Form::dv));
                }
            }
            const std::vector<double> row = evaluate(q, c, Form::d);
            std::vector<index_t> visible;
            in_double::KeyTable score(s.keys, 1), value(s.keys, Form::dv);
            for (index_t j = 0; j < s.keys; ++j) {
                const Extents<4> at{{c[0], c[1], c[2], j}};
                const auto &key = keys[static_cast<std::size_t>(j)], &of_key = values[static_cast<std::size_t>(j)];
                double product = 0;
                for (std::size_t d = 0; d < row.size(); ++d) product += row[d] * key[d];
                if (reference<typename Form::condition>(scores, at, product) == 0) continue;
                const double x = reference<typename Form::score>(scores, at, product);
                if (x == -std::numeric_limits<double>::infinity()) continue;
                const auto n = static_cast<index_t>(visible.size());
                score.x[static_cast<std::size_t>(n)] = x;
                std::copy(of_key.begin(), of_key.end(), value.x.begin() + n * Form::dv);
                visible.push_back(j);
            }
            score.keys = value.keys = static_cast<index_t>(visible.size());
            const in_double::AttentionRow<Environment> all{scores, c, visible, score, value};
            std::vector<double> acc(static_cast<std::size_t>(Form::dv));
            if (!visible.empty()) {
                const auto y = all.template value<typename Form::output>();
                for (index_t j = 0; j < Form::dv; ++j) acc[static_cast<std::size_t>(j)] = y.at(0, j);
            }
            finish(epilogue, sink, c, acc);
            using Number = typename Form::number;
            if constexpr (requires { Number::row_slot; }) {
                const double x = all.template value<typename Number::number>().at(0, 0);
                auto& to = get<Number::row_slot>(sink.outs)({{c[0], c[1], c[2]}});
                to = to_storage<std::remove_reference_t<decltype(to)>>(visible.empty() && std::isnan(x) ? 0 : x);
            }
        });
    }

    /// Means and squared deviations of what was stored: of channels, or of rows.
    template <class S>
    void publish_stats(const S& sink) {
        publish<typename S::sink>(sink);
    }

private:
    template <class B, int R>
    static std::vector<double> evaluate(const B& bound, Extents<R> c, index_t n, const double* acc = nullptr,
                                        const double* gate = nullptr) {
        std::vector<double> v(static_cast<std::size_t>(n));
        for (index_t j = 0; j < n; ++j, ++c.back(0))
            v[static_cast<std::size_t>(j)] =
                reference<typename B::expression>(bound.env, c, {acc ? acc[j] : 0.0, gate ? gate[j] : 0.0});
        return v;
    }
    template <class S, int R>
    static void write(const S& sink, Extents<R> c, const std::vector<double>& from) {
        for (const double x : from) {
            sink.row(c, 1, [&](auto* p, index_t, index_t, index_t) {
                *p = to_storage<std::remove_reference_t<decltype(*p)>>(x);
            });
            ++c.back(0);
        }
    }
    template <class B, class S, int R>
    static void finish(const B& epilogue, const S& sink, const Extents<R>& c, const std::vector<double>& acc) {
        write(sink, c, evaluate(epilogue, c, static_cast<index_t>(acc.size()), acc.data()));
    }
    /// The epilogue of a gated product, over the sums of all rows of weights.
    template <class B, class S, int R>
    static void epilogue_gated(const B& epilogue, const S& sink, const Extents<R>& c, const std::vector<double>& acc) {
        std::vector<double> of_out, of_gate;
        for (index_t n = 0; n < static_cast<index_t>(acc.size()) / 2; ++n) {
            of_out.push_back(acc[static_cast<std::size_t>(paired_column(n))]);
            of_gate.push_back(acc[static_cast<std::size_t>(paired_column(n) + 16)]);
        }
        write(sink, c,
              evaluate(epilogue, c, static_cast<index_t>(of_out.size()), of_out.data(), of_gate.data()));
    }
    template <int R, class F>
    static void each_row(Extents<R> e, F&& f) {
        if (e.back(0) == 0) return;
        e.back(0) = 1;
        for (index_t i = 0; i < count(e); ++i) f(unravel(i, e));
    }
    template <class S, class B>
    void publish(const B&) {}
    /// One part of all columns.
    template <class S, class B>
        requires(detail::is_row_stats<S>)
    void publish(const B& sink) {
        const auto& y = get<detail::row_stats_source<S>>(sink.outs);
        const auto& records = get<S::slot>(sink.outs);
        const index_t columns = y.extents.back(0);
        const double n = static_cast<double>(columns);
        each_row(y.extents, [&](auto c) {
            const auto at = [&](index_t j) {
                auto d = c;
                d.back(0) = j;
                return from_storage<double>(y(d));
            };
            double mean = 0, m2 = 0;
            for (index_t j = 0; j < columns; ++j) mean += at(j) / n;
            for (index_t j = 0; j < columns; ++j) m2 += (at(j) - mean) * (at(j) - mean);
            for (const double x : {n, n, mean, m2}) {
                records(c) = static_cast<float>(x);
                ++c.back(0);
            }
        });
    }
    template <class S, class B>
        requires(detail::is_stats<S>)
    void publish(const B& sink) {
        const auto& y = get<detail::stats_source<S>>(sink.outs);
        const auto& stats = get<S::slot>(sink.outs);
        constexpr int R = std::remove_cvref_t<decltype(y)>::rank;
        Extents<R> lead = y.extents;
        lead[0] = lead.back(0) = 1;
        const double n = static_cast<double>(count(lead));
        for (index_t b = 0; b < y.extents[0]; ++b)
            for (index_t ch = 0; ch < y.extents.back(0); ++ch) {
                const auto at = [&](index_t i) {
                    Extents<R> c = unravel(i, lead);
                    c[0] = b;
                    c.back(0) = ch;
                    return from_storage<double>(y(c));
                };
                double mean = 0, m2 = 0;
                for (index_t i = 0; i < count(lead); ++i) mean += at(i) / n;
                for (index_t i = 0; i < count(lead); ++i) m2 += (at(i) - mean) * (at(i) - mean);
                using T = std::remove_reference_t<decltype(stats({{b, ch, 0}}))>;
                stats({{b, ch, 0}}) = to_storage<T>(mean);
                stats({{b, ch, 1}}) = to_storage<T>(m2);
            }
    }
};

}  // namespace inlay::inline INLAY_ABI
