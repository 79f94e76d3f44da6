// SPDX-License-Identifier: Apache-2.0
/// The part of an executor that GPUs of all vendors share: a stream, memory, plans, and every frame. Runs only enqueue:
/// nothing synchronises unless the caller does, and everything can be captured in a graph once it was loaded.
#pragma once

#include <inlay/exec/gpu/event.hpp>
#include <inlay/exec/gpu/memory.hpp>
#include <inlay/exec/packed.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/row_operation.hpp>
#include <inlay/tile/gpu/elementwise.hpp>
#include <inlay/tile/gpu/norm/row_statistics.hpp>
#include <inlay/tile/gpu/norm/statistics.hpp>
#include <inlay/tile/gpu/reduce/dispatch.hpp>
#include <inlay/tile/gpu/rows/dispatch.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

#if defined(__HIP__)
#include <inlay/tile/hip/attention.hpp>
#include <inlay/tile/hip/gemm.hpp>
#include <inlay/tile/hip/norm.hpp>
#include <inlay/tile/hip/runtime/devices.hpp>
#else
#include <inlay/tile/cuda/attention.hpp>
#include <inlay/tile/cuda/gemm.hpp>
#include <inlay/tile/cuda/norm.hpp>
#include <inlay/tile/cuda/runtime/devices.hpp>
#endif

namespace inlay::inline INLAY_ABI {

/// Target: the vendor's executor, which derives from it.
template <class Target>
class GpuExecutor {
public:
    using Memory = DeviceMemory;
    using Mark = DeviceEvent;

    const on_gpu::Device& device() const { return launcher_.device(); }
    on_gpu::Stream stream() const { return launcher_.stream(); }
    on_gpu::Launcher& launcher() { return launcher_; }
    void synchronize() { on_gpu::api::synchronize(stream()); }

    /// Plans something that runs (a prepared kernel, a Program), so that running it only launches, in a capture too. A
    /// plan is what a prepared kernel launches on this target: functions, grids, and the bytes of their arguments, with
    /// the tensor maps and addresses of workspace among them. It is made once, here or at the first run, and kept until
    /// the target ends, or 4096 kernels were planned after it. May wait for the device, where workspace grows. What
    /// throws leaves nothing planned of the kernel it is about.
    template <class Runs>
    void load(const Runs& runs) {
        launcher_.plan([&] { runs.run(self()); });
    }
    /// Launches a prepared kernel as it was planned; plans it before where it was not.
    void run_planned(const detail::AnyPrepared& kernel) { launcher_.run({kernel.identity, kernel.frame}, kernel); }
    Memory allocate(std::size_t bytes) {
        const on_gpu::OnDevice here(device().index);
        return Memory(bytes);
    }
    /// Host to device, in the order of the stream. The source may be reused when this returns.
    void upload(void* to, const void* from, std::size_t bytes) {
        const on_gpu::OnDevice here(device().index);
        uploads_.copy(stream(), to, from, bytes);
    }
    /// Device to host; waits for the data.
    void download(void* to, const void* from, std::size_t bytes) {
        const on_gpu::OnDevice here(device().index);
        on_gpu::api::copy_to_host(to, from, bytes, stream());
        synchronize();
    }
    /// From one place of the device to another, in the order of the stream.
    void copy(void* to, const void* from, std::size_t bytes) {
        const on_gpu::OnDevice here(device().index);
        on_gpu::api::copy_on_device(to, from, bytes, stream());
    }
    void zero(void* to, std::size_t bytes) {
        const on_gpu::OnDevice here(device().index);
        on_gpu::api::zero(to, bytes, stream());
    }
    /// Bytes of workspace that this target owns: what the kernels seen so far need that ran without one of the
    /// caller's.
    std::size_t workspace_bytes() const { return launcher_.workspace_bytes(); }
    /// Bytes that something which runs needs of a caller's workspace; plans as far as there is no such memory. 0: none.
    template <class Runs>
    std::size_t workspace_bytes(const Runs& runs) {
        const on_gpu::Launcher::Measuring here(launcher_);
        runs.run(self());
        return here.bytes();
    }
    /// Lends memory: while the result lives, runs use it alone. It is large enough for `workspace_bytes` of each of
    /// them.
    [[nodiscard]] on_gpu::Launcher::Lent lend(const Workspace& w) {
        return on_gpu::Launcher::Lent(launcher_, w.data, w.bytes);
    }

    /// Weights are read as they lie: [N, K] row by row, taps before channels.
    static constexpr int panel_columns = 0;
    static index_t packed_size(index_t batch, index_t n, index_t k) {
        check_blocks(batch, n, k);
        return batch * n * k;
    }
    /// Copies a dense weight, of the host's or of the device, to device memory. The source may be reused afterwards.
    template <Storage T, int R, Stored To>
        requires std::is_same_v<storage_type<To>, std::remove_const_t<T>>
    auto pack(const Tensor<T, R>& w, To* to, index_t groups = 1) {
        check_packable(w, groups);
        const on_gpu::OnDevice here(device().index);
        on_gpu::api::copy_from_any(to, w.data, sizeof(T) * static_cast<std::size_t>(w.size()), stream());
        synchronize();
        return Packed<std::remove_const_t<T>, R>{as_storage(to), w.extents, groups, panel_columns};
    }

    template <int R, class In, class Sink>
    void map(const Extents<R>& e, const In& in, const Sink& sink) {
        on_gpu::map(launcher_, e, in, sink);
    }
    template <int R, class In, class Op, class Epilogue, class Sink>
    void rows(const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
        if constexpr (check_row_operation<Op>()) on_gpu::rows(launcher_, e, in, op, epilogue, sink);
    }
    template <class Op, bool Rows, int R, class In, class Epilogue, class Sink>
    void reduce(const Extents<R>& kept, const Extents<R>& reduced, double n, const In& in, const Epilogue& epilogue,
                const Sink& sink) {
        on_gpu::reduce<Op, Rows>(launcher_, kept, reduced, n, in, epilogue, sink);
    }
    template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
    void group_norm(const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
        on_gpu::group_norm<Groups>(launcher_, e, eps, gamma, beta, in, epilogue, sink);
    }
    template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        on_gpu::matmul<Schedule>(launcher_, s, w, in, rows, epilogue, sink, place);
    }
    template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
    void attention(const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                   const Epilogue& epilogue, const Sink& sink) {
        on_gpu::attention<Form>(launcher_, s, q, k, v, scores, epilogue, sink);
    }
    template <class S>
    void publish_stats(const S& sink) {
        on_gpu::publish_stats(launcher_, sink);
        on_gpu::publish_row_stats(launcher_, sink);
    }

protected:
    /// A stream of its own on a device that can be used, else an error.
    explicit GpuExecutor(int device) : owned_(device), launcher_(device, owned_.stream), uploads_(device) {}
    /// On a stream of the caller's, which outlives it.
    GpuExecutor(int device, on_gpu::Stream stream) : launcher_(device, stream), uploads_(device) {}
    GpuExecutor(const GpuExecutor&) = delete;
    GpuExecutor& operator=(const GpuExecutor&) = delete;
    ~GpuExecutor() = default;

private:
    Target& self() { return static_cast<Target&>(*this); }

    struct OwnedStream {
        int device = 0;
        on_gpu::Stream stream = nullptr;
        OwnedStream() = default;
        explicit OwnedStream(int d) : device(d) {
            on_gpu::usable_device(d);
            const on_gpu::OnDevice here(d);
            stream = on_gpu::api::new_stream();
        }
        OwnedStream(const OwnedStream&) = delete;
        OwnedStream& operator=(const OwnedStream&) = delete;
        ~OwnedStream() {
            if (stream) on_gpu::api::end_stream(stream);
        }
    };

    OwnedStream owned_;
    on_gpu::Launcher launcher_;
    Uploads uploads_;
};

}  // namespace inlay::inline INLAY_ABI
