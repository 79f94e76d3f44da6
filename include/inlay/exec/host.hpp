// SPDX-License-Identifier: Apache-2.0
/// The CPU executor: a target that runs any frame in float with threads and SIMD, storage in fp32, fp16 or bf16. It
/// needs no CUDA on the machine, and a compiler of C++: neither nvcc nor HIP takes its loops. Results do not depend on
/// the number of threads.
#pragma once

#include <inlay/core/config.hpp>

#if !INLAY_NATIVE_VECTORS
#error "inlay: exec/host.hpp is compiled as C++, a file .cpp: its loops take vectors that device code has not"
#endif

#include <inlay/exec/memory.hpp>
#include <inlay/exec/packed.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/frame/row_operation.hpp>
#include <inlay/tile/host/attention.hpp>
#include <inlay/tile/host/group_norm.hpp>
#include <inlay/tile/host/map.hpp>
#include <inlay/tile/host/matmul.hpp>
#include <inlay/tile/host/pack.hpp>
#include <inlay/tile/host/reduce.hpp>
#include <inlay/tile/host/statistics.hpp>
#include <inlay/tile/host/threads.hpp>
#include <inlay/tile/host/whole_rows.hpp>
#include <inlay/tile/host/winograd.hpp>

#include <mutex>

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
        if constexpr (check_row_operation<Op>()) on_host::operate_rows(threads_, e, in, op, epilogue, sink);
    }

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        using T = std::remove_const_t<typename W::value_type>;
        const auto line = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
        const index_t k = s.segments * s.k;
        std::size_t packed = 0, transformed = 0;
        if constexpr (!is_packed<W>)
            packed = line(sizeof(T) * static_cast<std::size_t>(s.batch * on_host::packed_size(s.n, k)));
        bool filters = false;
        if constexpr (can_winograd<T, Rows>) {
            filters = !winograd_refused(window_facts(rows), s, dtype_of<T>);
            if (filters) transformed = on_host::winograd_bytes(s, rows, threads_);
        }
        std::unique_lock lock(workspace_lock_, std::defer_lock);
        char* memory = nullptr;
        if (packed + transformed > 0) {
            lock.lock();
            memory = static_cast<char*>(workspace_.get(packed + transformed));
        }
        const T* panels = nullptr;
        if constexpr (is_packed<W>) {
            panels = w.data;
        } else {
            on_host::pack_blocks(w.data, s.batch, s.n, k, reinterpret_cast<T*>(memory), threads_);
            panels = reinterpret_cast<const T*>(memory);
        }
        if constexpr (can_winograd<T, Rows>)
            if (filters)
                return on_host::bound_winograd(threads_, reinterpret_cast<float*>(memory + packed), s, panels, in, rows,
                                               epilogue, sink, place);
        on_host::bound_matmul(threads_, s, panels, in, rows, epilogue, sink, place);
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
        on_host::pack_blocks(w.data, batch, n, k, to, threads_);
        return Packed<std::remove_const_t<T>, R>{to, w.extents, groups, panel_columns};
    }

    template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
    void group_norm(const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
        const std::lock_guard lock(workspace_lock_);
        on_host::group_norm<Groups>(threads_, workspace_, e, eps, gamma, beta, in, epilogue, sink);
    }

    /// Rows: the last axis is among the reduced ones.
    template <class Op, bool Rows, int R, class In, class Epilogue, class Sink>
    void reduce(const Extents<R>& kept, const Extents<R>& reduced, double n, const In& in, const Epilogue& epilogue,
                const Sink& sink) {
        if constexpr (Rows) on_host::reduce_rows<Op>(threads_, kept, reduced, n, in, epilogue, sink);
        else on_host::reduce_columns<Op>(threads_, kept, reduced, n, in, epilogue, sink);
    }

    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        on_host::bound_attention<Form>(threads_, s, q, k, v, scores, epilogue, sink);
    }

    /// Publishes the statistics of a `WithStats` or `WithRowStats` sink, from the stored result: a pass over the
    /// output on this target.
    template <class S>
    void publish_stats(const S& sink) {
        if constexpr (detail::is_stats<typename S::sink>) {
            const std::lock_guard lock(workspace_lock_);
            on_host::publish_stats(threads_, workspace_, sink);
        }
        if constexpr (detail::is_row_stats<typename S::sink>) on_host::publish_row_stats(threads_, sink);
    }

private:
    on_host::Threads threads_;
    on_host::Scratch workspace_;
    std::mutex workspace_lock_;
};

}  // namespace inlay::inline INLAY_ABI
