// SPDX-License-Identifier: Apache-2.0
/// The oracle: a target that runs any frame in double, naively, element by element. Every other target is tested
/// against it. It shares the statement of a frame with them, but no evaluation, blocking, packing or reduction.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/expr/reference.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI {

class Oracle {
public:
    template <int R, class F>
    void rows(const Extents<R>& e, F&& f) {
        whole_rows(e, f);
    }
    template <int R, class F>
    void whole_rows(const Extents<R>& e, F&& f) {
        std::vector<double> row(static_cast<std::size_t>(e.back(0)));
        each_row(e, [&](const Extents<R>& c) { f(c, e.back(0), row.data()); });
    }

    template <class B, int R>
    void evaluate(const B& bound, Extents<R> c, index_t n, double* to, const double* acc = nullptr) {
        for (index_t j = 0; j < n; ++j, ++c.back(0))
            to[j] = reference<typename B::expression>(bound.env, c, acc ? acc[j] : 0.0);
    }
    template <class B, int R>
    const double* read(const B& bound, const Extents<R>& c, index_t n, double* scratch) {
        evaluate(bound, c, n, scratch);
        return scratch;
    }
    const double* zeros(index_t n, double* scratch) {
        for (index_t j = 0; j < n; ++j) scratch[j] = 0;
        return scratch;
    }
    template <class S, int R>
    void write(const S& sink, const Extents<R>& c, index_t n, const double* from) {
        for (index_t j = 0; j < n; ++j) {
            Extents<R> at = c;
            at.back(0) += j;
            sink.row(at, 1, [&](auto* p, index_t, index_t, index_t) {
                *p = to_storage<std::remove_reference_t<decltype(*p)>>(from[j]);
            });
        }
    }
    template <class B, class S, int R>
    void finish(const B& epilogue, const S& sink, const Extents<R>& c, index_t n, const double* acc) {
        std::vector<double> v(static_cast<std::size_t>(n));
        evaluate(epilogue, c, n, v.data(), acc);
        write(sink, c, n, v.data());
    }

    struct MatmulShape {
        index_t batch, m, n, segments, k;
    };
    template <class W, class Stage, class Finish>
    void matmul(const MatmulShape& s, const W& w, Stage&& stage, Finish&& finish) {
        static_assert(is_tensor<W>, "inlay: the oracle reads plain weights, not packed ones");
        std::vector<double> a(static_cast<std::size_t>(s.segments * s.k)), scratch(static_cast<std::size_t>(s.k)),
            acc(static_cast<std::size_t>(s.n));
        require(w.contiguous(), "the oracle reads dense weights");
        for (index_t b = 0; b < s.batch; ++b)
            for (index_t m = 0; m < s.m; ++m) {
                for (index_t t = 0; t < s.segments; ++t) {
                    const double* row = stage(b, m, t, index_t(0), s.k, scratch.data());
                    std::copy(row, row + s.k, a.begin() + t * s.k);
                }
                const auto* panel = w.data + b * s.n * s.segments * s.k;
                for (index_t n = 0; n < s.n; ++n) {
                    double sum = 0;
                    for (index_t i = 0; i < s.segments * s.k; ++i)
                        sum += a[static_cast<std::size_t>(i)] * from_storage<double>(panel[n * s.segments * s.k + i]);
                    acc[static_cast<std::size_t>(n)] = sum;
                }
                finish(b, m, index_t(0), s.n, static_cast<const double*>(acc.data()));
            }
    }

    std::pair<double, double> moments(const double* row, index_t n) {
        double mean = 0, m2 = 0;
        for (index_t j = 0; j < n; ++j) mean += row[j] / static_cast<double>(n);
        for (index_t j = 0; j < n; ++j) m2 += (row[j] - mean) * (row[j] - mean);
        return {mean, m2};
    }
    double sum_of_squares(const double* row, index_t n) {
        double s = 0;
        for (index_t j = 0; j < n; ++j) s += row[j] * row[j];
        return s;
    }
    template <class G, class B>
    void scale_shift(double* row, index_t n, double mean, double rstd, const G& gamma, const B& beta) {
        for (index_t j = 0; j < n; ++j)
            row[j] = (row[j] - mean) * rstd * from_storage<double>(gamma({{j}})) + from_storage<double>(beta({{j}}));
    }
    template <class G>
    void scale(double* row, index_t n, double by, const G& gamma) {
        for (index_t j = 0; j < n; ++j) row[j] *= by * from_storage<double>(gamma({{j}}));
    }
    void softmax(double* row, index_t n) {
        double m = -std::numeric_limits<double>::infinity(), s = 0;
        for (index_t j = 0; j < n; ++j) m = math::max(m, row[j]);
        for (index_t j = 0; j < n; ++j) s += row[j] = std::exp(row[j] - m);
        for (index_t j = 0; j < n; ++j) row[j] /= s;
    }

    template <int Groups, int R, class G, class B, class In, class Finish>
    void group_norm(const Extents<R>& e, double eps, const G& gamma, const B& beta, In&& in, Finish&& finish) {
        const index_t channels = e.back(0), width = channels / Groups;
        std::vector<double> row(static_cast<std::size_t>(channels));
        Extents<R> item = e;
        item[0] = 1;
        const double n = static_cast<double>(count(item)) / Groups;
        for (index_t b = 0; b < e[0]; ++b) {
            std::vector<double> mean(Groups), m2(Groups);
            const auto pass = [&](auto&& f) {
                each_row(item, [&](Extents<R> c) {
                    c[0] = b;
                    in(c, channels, row.data());
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
                finish(c, channels, static_cast<const double*>(row.data()));
            });
        }
    }

    template <class Op, int R, class In, class Finish>
    void reduce_rows(const Extents<R>& out, const Extents<R>& reduced, double n, In&& in, Finish&& finish) {
        reduce_columns<Op>(out, reduced, n, in, finish);
    }
    template <class Op, int R, class In, class Finish>
    void reduce_columns(const Extents<R>& out, const Extents<R>& reduced, double n, In&& in, Finish&& finish) {
        for (index_t o = 0; o < count(out); ++o) {
            const Extents<R> c = unravel(o, out);
            double total = Op::identity;
            for (index_t i = 0; i < count(reduced); ++i) {
                const Extents<R> d = unravel(i, reduced);
                Extents<R> at;
                for (int k = 0; k < R; ++k) at[k] = c[k] + d[k];
                double x;
                in(at, index_t(1), &x);
                total = Op::combine(total, x);
            }
            total = Op::finish(total, n);
            finish(c, index_t(1), static_cast<const double*>(&total));
        }
    }

    struct AttentionShape {
        index_t batch, queries, keys, d, dv;
    };
    template <class Mask, class Q, class K, class V, class Finish>
    void attention(const AttentionShape& s, double scale, Q&& q, K&& k, V&& v, Finish&& finish) {
        std::vector<double> qs(static_cast<std::size_t>(s.d)), ks(qs), vs(qs), scores(static_cast<std::size_t>(s.keys)),
            acc(qs);
        for (index_t b = 0; b < s.batch; ++b)
            for (index_t i = 0; i < s.queries; ++i) {
                const double* row = q(b, i, qs.data());
                double top = -std::numeric_limits<double>::infinity(), sum = 0;
                for (index_t j = 0; j < s.keys; ++j) {
                    double x = 0;
                    const double* key = k(b, j, ks.data());
                    for (index_t d = 0; d < s.d; ++d) x += row[d] * key[d];
                    x = Mask::visible(i, j, s.queries, s.keys) ? x * scale : -std::numeric_limits<double>::infinity();
                    scores[static_cast<std::size_t>(j)] = x;
                    top = math::max(top, x);
                }
                std::fill(acc.begin(), acc.end(), 0.0);
                for (index_t j = 0; j < s.keys; ++j) {
                    if (!Mask::visible(i, j, s.queries, s.keys)) continue;
                    const double p = std::exp(scores[static_cast<std::size_t>(j)] - top);
                    const double* value = v(b, j, vs.data());
                    sum += p;
                    for (index_t d = 0; d < s.dv; ++d) acc[static_cast<std::size_t>(d)] += p * value[d];
                }
                for (double& x : acc) x = sum > 0 ? x / sum : 0;
                finish(b, i, static_cast<const double*>(acc.data()));
            }
    }

    /// Per-channel mean and squared deviations of what was stored, [B, C, 2].
    template <class S>
    void publish_stats(const S& sink) {
        publish<typename S::sink>(sink);
    }

private:
    template <int R, class F>
    static void each_row(Extents<R> e, F&& f) {
        if (e.back(0) == 0) return;
        e.back(0) = 1;
        for (index_t i = 0; i < count(e); ++i) f(unravel(i, e));
    }
    template <class S, class B>
    void publish(const B&) {}
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
