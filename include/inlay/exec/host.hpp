// SPDX-License-Identifier: Apache-2.0
/// The CPU executor: a target that runs any frame in float with threads and SIMD, storage in fp32, fp16 or bf16. It
/// needs no CUDA on the machine. Results do not depend on the number of threads.
#pragma once

#include <inlay/exec/memory.hpp>
#include <inlay/exec/packed.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/sink/with_stats.hpp>
#include <inlay/tile/host/attention.hpp>
#include <inlay/tile/host/map.hpp>
#include <inlay/tile/host/matmul.hpp>
#include <inlay/tile/host/norm.hpp>
#include <inlay/tile/host/pack.hpp>
#include <inlay/tile/host/reduce.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/threads.hpp>
#include <inlay/tile/host/whole_rows.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <utility>

namespace inlay::inline INLAY_ABI {

/// Owns its threads and the scratch memory of its kernels, which grows on first use and is kept. Several host threads
/// may use one Host; their kernels run one at a time.
class Host : public HostTransfers {
public:
    /// threads ≤ 0: as many as the machine has.
    explicit Host(int threads = 0) : threads_(threads) {}

    on_host::Threads& threads() { return threads_; }

    template <int R, class In, class Sink>
    void map(const Extents<R>& e, const In& in, const Sink& sink) {
        on_host::map(threads_, e, in, sink);
    }
    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        on_host::whole_rows(threads_, e, [&](const Extents<R>& c, index_t n, float* x) {
            on_host::evaluate_row(in, c, n, x);
            on_host::Row row{x, n};
            op(row);
            on_host::finish(epilogue, sink, c, n, x);
        });
    }

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        using T = std::remove_const_t<typename W::value_type>;
        const index_t k = s.segments * s.k, batch_stride = s.batch > 1 ? on_host::packed_size(s.n, k) : 0;
        const auto stage = [&](index_t batch, index_t m, index_t segment, index_t k0, index_t n, float* scratch) {
            decltype(place(batch, m)) c;
            if (!rows.at(rows.row(batch, m), segment, c)) {
                std::fill(scratch, scratch + n, 0.0f);
                return static_cast<const float*>(scratch);
            }
            c.back(0) += k0;
            return on_host::read_row(in, c, n, scratch);
        };
        const auto store = [&](index_t batch, index_t m, index_t j, index_t n, const float* acc) {
            auto c = place(batch, m);
            if constexpr (gated<typename Epilogue::expression>) {
                c.back(0) += j / 2;
                on_host::epilogue_gated(epilogue, sink, c, n / 2, acc);
            } else {
                c.back(0) += j;
                on_host::finish(epilogue, sink, c, n, acc);
            }
        };
        if constexpr (is_packed<W>) {
            on_host::matmul(threads_, s, stage, w.data, batch_stride, store);
        } else {
            const std::lock_guard lock(workspace_lock_);
            T* data = static_cast<T*>(
                workspace_.get(sizeof(T) * static_cast<std::size_t>(s.batch * on_host::packed_size(s.n, k))));
            pack_into(w, s.batch, s.n, k, data);
            on_host::matmul(threads_, s, stage, static_cast<const T*>(data), batch_stride, store);
        }
    }

    /// Rows of a weight that a panel holds side by side.
    static constexpr int panel_columns = on_host::host_panel;
    /// Elements that `pack` writes for a weight of `batch` blocks [n, k].
    static index_t packed_size(index_t batch, index_t n, index_t k) {
        check_blocks(batch, n, k);
        return batch * on_host::packed_size(n, k);
    }
    /// Rearranges a weight once, at load, into `to` (`packed_size` elements). Dense [N, K], [B, N, K] or [O, R, S, I];
    /// `groups`: of a convolution, as its Filter has.
    template <Storage T, int R, Stored To>
        requires std::is_same_v<storage_type<To>, std::remove_const_t<T>>
    auto pack(const Tensor<T, R>& w, To* data, index_t groups = 1) {
        check_packable(w, groups);
        std::remove_const_t<T>* const to = as_storage(data);
        const index_t batch = R == 3 ? w.extents[0] : groups, n = R == 3 ? w.extents[1] : w.extents[0] / groups;
        index_t k = 1;
        for (int i = R == 3 ? 2 : 1; i < R; ++i) k *= w.extents[i];
        pack_into(w, batch, n, k, to);
        return Packed<std::remove_const_t<T>, R>{to, w.extents, groups, panel_columns};
    }

    template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
    void group_norm(const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
        if (count(e) == 0) return;
        const index_t channels = e.back(0), width = channels / Groups;
        Extents<R> item = e;
        item[0] = item.back(0) = 1;
        const on_host::MomentBlocks blocks{e[0], count(item), channels};
        const auto at = [&](index_t b, index_t pixel) {
            Extents<R> c = unravel(pixel, item);
            c[0] = b;
            return c;
        };
        const std::lock_guard lock(workspace_lock_);
        float* partial = static_cast<float*>(
            workspace_.get(sizeof(float) * static_cast<std::size_t>(blocks.floats() + e[0] * 3 * channels)));
        float* table = partial + blocks.floats();
        const auto each_group = [&](const auto& use) {
            threads_.parallel_for(e[0] * Groups, [&](index_t task, int) {
                const index_t b = task / Groups, first = task % Groups * width;
                const on_host::Moments m = blocks.merged(partial, b, first, first + width);
                use(table + b * 3 * channels, first, m, 1.0 / math::sqrt(m.variance() + eps));
            });
        };
        std::atomic<bool> dwarfed = false;
        blocks.collect(threads_, partial, [&](index_t b, index_t pixel, float* row) {
            on_host::evaluate_row(in, at(b, pixel), channels, row);
        });
        each_group([&](float* t, index_t first, const on_host::Moments& m, double rstd) {
            constexpr double large = 2;  // deviations: beyond, one pass is up to 1.5 times as far off as PyTorch's x·a + b
            if (m.mean * m.mean > large * large * m.variance()) dwarfed = true;
            for (index_t c = first; c < first + width; ++c) {
                t[c] = static_cast<float>(m.mean);
                t[channels + c] = static_cast<float>(rstd * from_storage<double>(gamma({{c}})));
                t[2 * channels + c] = from_storage<float>(beta({{c}}));
            }
        });
        if (dwarfed) {
            // A running mean is rounded like the mean, which shows where that dwarfs the deviation: once more about it,
            // and what is left of the mean goes with β.
            blocks.collect(threads_, partial, [&](index_t b, index_t pixel, float* row) {
                on_host::evaluate_row(in, at(b, pixel), channels, row);
                for (index_t j = 0; j < channels; ++j) row[j] -= table[b * 3 * channels + j];
            });
            each_group([&](float* t, index_t first, const on_host::Moments& m, double rstd) {
                for (index_t c = first; c < first + width; ++c) {
                    const double scale = rstd * from_storage<double>(gamma({{c}}));
                    t[channels + c] = static_cast<float>(scale);
                    t[2 * channels + c] = static_cast<float>(from_storage<double>(beta({{c}})) - m.mean * scale);
                }
            });
        }
        on_host::whole_rows(threads_, e, [&](const Extents<R>& c, index_t n, float* row) {
            const float* t = table + c[0] * 3 * channels;
            on_host::evaluate_row(in, c, n, row);
            on_host::normalise(row, n, t, t + channels, t + 2 * channels);
            on_host::finish(epilogue, sink, c, n, row);
        });
    }

    /// Rows: the last axis is among the reduced ones.
    template <class Op, bool Rows, int R, class In, class Epilogue, class Sink>
    void reduce(const Extents<R>& kept, const Extents<R>& reduced, double n, const In& in, const Epilogue& epilogue,
                const Sink& sink) {
        if constexpr (Rows) on_host::reduce_rows<Op>(threads_, kept, reduced, n, in, epilogue, sink);
        else on_host::reduce_columns<Op>(threads_, kept, reduced, n, in, epilogue, sink);
    }

    template <class Mask, int D, class Score, class Q, class K, class V, class Epilogue, class Sink>
    void attention(const AttentionShape& s, double scale, const Q& q, const K& k, const V& v, const Epilogue& epilogue,
                   const Sink& sink) {
        const on_host::AttentionShape flat{s.batch * s.heads, s.queries, s.keys, D, D};
        const auto query = [&](index_t item, index_t i) { return Extents<4>{{item / s.heads, item % s.heads, i, 0}}; };
        const auto reads = [&](const auto& bound, index_t group) {
            return [&bound, &query, group](index_t item, index_t i, float* scratch) {
                Extents<4> c = query(item, i);
                c[1] /= group;
                return on_host::read_row(bound, c, D, scratch);
            };
        };
        const auto store = [&](index_t item, index_t i, const float* row) {
            on_host::finish(epilogue, sink, query(item, i), D, row);
        };
        const float by = static_cast<float>(scale);
        if constexpr (Mask::identity) {
            on_host::attention(threads_, flat, by, reads(q, 1), reads(k, s.group), reads(v, s.group), store);
        } else {
            on_host::attention(
                threads_, flat, by, reads(q, 1), reads(k, s.group), reads(v, s.group), store,
                [&](index_t, index_t i, index_t key0, index_t n, float* scores) {
                    for (index_t j = 0; j < n; ++j)
                        if (!Mask::visible(i, key0 + j, s.queries, s.keys))
                            scores[j] = -std::numeric_limits<float>::infinity();
                },
                [&](index_t, index_t i) { return Mask::end(i, s.queries, s.keys); });
        }
    }

    /// Publishes the statistics of a `WithStats` sink, from the stored result: a pass over the output on this target.
    template <class S>
    void publish_stats(const S& sink) {
        if constexpr (detail::is_stats<typename S::sink>) {
            const auto& y = get<detail::stats_source<typename S::sink>>(sink.outs);
            const auto& stats = get<S::sink::slot>(sink.outs);
            using Y = std::remove_cvref_t<decltype(y)>;
            Extents<Y::rank> item = y.extents;
            const index_t channels = item.back(0);
            item[0] = item.back(0) = 1;
            const on_host::MomentBlocks blocks{y.extents[0], count(item), channels};
            const std::lock_guard lock(workspace_lock_);
            float* partial =
                static_cast<float*>(workspace_.get(sizeof(float) * static_cast<std::size_t>(blocks.floats())));
            blocks.collect(threads_, partial, [&](index_t b, index_t pixel, float* row) {
                Extents<Y::rank> c = unravel(pixel, item);
                c[0] = b;
                for (index_t j = 0; j < channels; ++j, ++c.back(0)) row[j] = from_storage<float>(y(c));
            });
            threads_.parallel_for(y.extents[0] * channels, [&](index_t task, int) {
                const index_t b = task / channels, ch = task % channels;
                const on_host::Moments m = blocks.merged(partial, b, ch, ch + 1);
                using T = std::remove_reference_t<decltype(stats({{b, ch, 0}}))>;
                stats({{b, ch, 0}}) = to_storage<T>(m.mean);
                stats({{b, ch, 1}}) = to_storage<T>(m.m2);
            });
        }
    }

private:
    template <class T>
    void pack_into(const T& w, index_t batch, index_t n, index_t k, std::remove_const_t<typename T::value_type>* to) {
        using V = std::remove_const_t<typename T::value_type>;
        for (index_t b = 0; b < batch; ++b)
            on_host::pack<V>(w.data + b * n * k, k, n, k, to + b * on_host::packed_size(n, k), threads_);
    }

    on_host::Threads threads_;
    on_host::Scratch workspace_;
    std::mutex workspace_lock_;
};

}  // namespace inlay::inline INLAY_ABI
