// SPDX-License-Identifier: Apache-2.0
/// Launches of kernels on one device and stream, with workspace that the launcher owns or is lent. The launches of a
/// prepared kernel are planned once, by the code that would make them, and a run makes them again.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/list.hpp>
#include <inlay/core/order.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/on_device.hpp>
#include <inlay/tile/gpu/runtime/plans.hpp>
#include <inlay/tile/gpu/runtime/scratch.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Used by one host thread at a time. Memory of the workspace is reused by every launch: they are ordered by the
/// stream.
class Launcher {
    /// Launches are made, or nothing is: what they need of the launcher's own memory is noted, or of a caller's, or
    /// plans are completed.
    enum class Mode { launches, notes, measures, completes };
    class InMode {
    public:
        InMode(Launcher& l, Mode m) : l_(l), before_(std::exchange(l.mode_, m)) {}
        InMode(const InMode&) = delete;
        InMode& operator=(const InMode&) = delete;
        ~InMode() { l_.mode_ = before_; }

    private:
        Launcher& l_;
        Mode before_;
    };

public:
    Launcher(int device, Stream stream) : device_(Device::of(device)), stream_(stream) {}
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    const Device& device() const { return device_; }
    Stream stream() const { return stream_; }
    void stream(Stream s) { stream_ = s; }

    /// Launches what was planned under a name. Where nothing was, `frame()` makes the launches on this launcher, and
    /// they become the plan. What it throws leaves no plan.
    template <class F>
    void run(PlanName name, const F& frame) {
        if (recording_) return frame();     // a part of what is planned
        LaunchPlan* plan = plans_.find(name);
        if (!plan) plan = &plans_.keep(name, planned(frame, false));
        if (mode_ == Mode::measures) return measured_.cover(plan->needs);
        if (lent_.memory && plan->needs.any()) {
            name.memory = lent_.memory, name.bytes = lent_.bytes;
            plan = plans_.find(name);
            if (!plan) plan = &plans_.keep(name, planned(frame, true));
            zero_lent(plan->needs.semaphores);
        }
        while (!plan->complete) {
            workspace_.need(plan->needs.workspace);
            semaphores_.need(plan->needs.semaphores);
            if (mode_ == Mode::notes) return;
            grow();
            *plan = planned(frame, false);
        }
        if (mode_ != Mode::launches) return;
        const OnDevice here(device_.index);
        for (int i = 0; i < plan->launches.size(); ++i) plan->launches[i].enqueue(stream_);
    }
    /// Plans all that `runs()` would launch. Memory grows once, to what the neediest takes; it waits for the device
    /// then and must not happen inside a capture.
    template <class F>
    void plan(const F& runs) {
        begin_dry();
        try {
            runs();
        } catch (...) {
            mode_ = Mode::launches;
            workspace_.forget();
            semaphores_.forget();
            throw;
        }
        const bool complete = workspace_.suffices() && semaphores_.suffices();
        end_dry();
        if (complete) return;
        const InMode completes(*this, Mode::completes);
        runs();
    }

    /// Between `begin_dry` and `end_dry`, launches only load and note what they need. `end_dry` grows the workspace to
    /// that.
    void begin_dry() { mode_ = Mode::notes; }
    void end_dry() {
        mode_ = Mode::launches;
        grow();
    }
    /// Nothing is launched, and memory may be missing.
    bool dry() const { return recording_ ? !recording_->complete : mode_ != Mode::launches; }

    /// A dry run while it lives, which measures the memory that the caller has to lend.
    class Measuring {
    public:
        explicit Measuring(Launcher& l) : launcher_(l), measures_(l, Mode::measures) { l.measured_ = {}; }
        std::size_t bytes() const { return launcher_.measured_.workspace + launcher_.measured_.semaphores; }

    private:
        Launcher& launcher_;
        InMode measures_;
    };
    /// While it lives, launches have memory of the caller's instead: scratch from its beginning on, counters at its
    /// end, which become 0 on the stream before the first kernel that needs them.
    class Lent {
    public:
        Lent(Launcher& l, void* memory, std::size_t bytes) : launcher_(l) {
            l.lent_ = {static_cast<char*>(memory), bytes / alignment * alignment, 0};
        }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        ~Lent() { launcher_.lent_ = {}; }

    private:
        Launcher& launcher_;
    };

    /// Scratch memory of one launch, uninitialised, 256-byte aligned; null where there is none yet, in a dry run.
    void* workspace(std::size_t bytes) {
        void* const p = reserved(workspace_, &ScratchNeeds::workspace, aligned(bytes + held_));
        return p ? static_cast<char*>(p) + held_ : nullptr;
    }
    /// Keeps the last launch's results in its workspace for the launches of a scope.
    class Hold {
    public:
        Hold(Launcher& l, std::size_t bytes) : l_(l), before_(l.held_) { l_.held_ += aligned(bytes); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ~Hold() { l_.held_ = before_; }

    private:
        Launcher& l_;
        std::size_t before_;
    };
    /// Counters that are 0 before every launch: a kernel leaves them 0.
    std::uint32_t* semaphores(std::size_t n) {
        const std::size_t bytes = aligned(n * sizeof(std::uint32_t));
        if (!recording_ && mode_ != Mode::measures && lent_.memory) zero_lent(bytes);
        return static_cast<std::uint32_t*>(reserved(semaphores_, &ScratchNeeds::semaphores, bytes));
    }
    /// Notes that the product just launched publishes the statistics of its rows, until they are published.
    void note_rows_published() { rows_published_ = true; }
    bool take_rows_published() { return std::exchange(rows_published_, false); }
    std::size_t workspace_bytes() const { return workspace_.bytes() + semaphores_.bytes(); }

    /// Blocks of a kernel that are resident on the device at once.
    template <class... P>
    int resident_blocks(void (*kernel)(P...), int threads, std::size_t shared) {
        const OnDevice here(device_.index);
        load(kernel, shared);
        return resident_blocks_of_unit(kernel, threads, shared) * device_.multiprocessors;
    }

    template <class... P, class... A>
    void launch(const Grid& g, void (*kernel)(P...), A&&... args) {
        static_assert((sizeof(P) + ... + 0) <= most_argument_bytes,
                      "inlay: the arguments of a kernel take more bytes than its launch passes");
        static_assert((std::is_trivially_copyable_v<P> && ...) && ((alignof(P) <= LaunchArguments::alignment) && ...));
        if (g.blocks <= 0) return;
        const OnDevice here(device_.index);
        const bool waits = load(kernel, g.shared);
        if (dry()) return;
        enqueue<P...>(LaunchConfig(reinterpret_cast<const void*>(kernel), g, waits),
                      static_cast<const P&>(args)...);
    }

    /// The kernel of a body.
    template <KernelBody Body>
    void launch(const Grid& g, const typename Body::Arguments& arguments) {
        launch(g, kernel<Body>, arguments);
    }

private:
    template <class F>
    LaunchPlan planned(const F& frame, bool lent) {
        struct Scope {
            Launcher& l;
            ~Scope() { l.recording_ = nullptr; }
        };
        LaunchPlan plan;
        const Scope records{*this};
        recording_ = &plan;
        records_lent_ = lent;
        frame();
        return plan;
    }
    template <class... P>
    void enqueue(LaunchConfig config, const P&... values) {
        static constexpr std::uint32_t sizes[] = {sizeof(P)..., 0}, alignments[] = {alignof(P)..., 1};
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&values))..., nullptr};
        if (recording_) recording_->launches.append({config, {sizeof...(P), addresses, sizes, alignments}});
        else config.enqueue(stream_, addresses);
    }

    /// Says if the kernel's code on this device can wait for a kernel before it.
    template <class... P>
    bool load(void (*kernel)(P...), std::size_t shared) {
        const auto address = reinterpret_cast<const void*>(kernel);
        const int at = place_of(address);
        if (at < loaded_.size() && loaded_[at].kernel == address) return loaded_[at].waits;
        return add_loaded(at, address, facts_of(kernel, device_), shared);
    }
    /// Its index among the loaded kernels, or the one to insert it at.
    int place_of(const void* kernel) const {
        int at = 0;
        for (int end = loaded_.size(); at < end;) {
            const int middle = (at + end) / 2;
            if (reinterpret_cast<std::uintptr_t>(loaded_[middle].kernel) < reinterpret_cast<std::uintptr_t>(kernel))
                at = middle + 1;
            else end = middle;
        }
        return at;
    }
    bool add_loaded(int at, const void* kernel, const KernelFacts& facts, std::size_t shared) {
        const int most = device_.shared_bytes - facts.shared_bytes;
        require(shared <= static_cast<std::size_t>(most), "a kernel needs ", shared,
                " bytes of shared memory, the device has ", most);
        allow_shared(kernel, most);
        loaded_.insert(at, {kernel, facts.waits});
        return facts.waits;
    }
    struct Loaded {
        const void* kernel = nullptr;
        bool waits = false;
    };
    static constexpr std::size_t alignment = 256;
    static std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
    /// Memory of so many bytes for a launch; null where it is only noted.
    void* reserved(Scratch& own, std::size_t ScratchNeeds::*part, std::size_t bytes) {
        const bool lent = recording_ ? records_lent_ : mode_ != Mode::measures && lent_.memory;
        if (recording_) recording_->needs.*part = larger(recording_->needs.*part, bytes);
        else if (mode_ == Mode::measures) measured_.*part = larger(measured_.*part, bytes);
        if (lent) return part == &ScratchNeeds::workspace ? lent_.memory : lent_.memory + lent_.bytes - bytes;
        if (recording_) {
            if (bytes > own.bytes()) recording_->complete = false;
            return recording_->complete ? own.data() : nullptr;
        }
        if (mode_ == Mode::measures) return nullptr;
        own.need(bytes);
        if (mode_ == Mode::notes) return nullptr;
        own.grow(device_.index, stream_);
        return own.data();
    }
    void grow() {
        workspace_.grow(device_.index, stream_);
        semaphores_.grow(device_.index, stream_);
    }
    void zero_lent(std::size_t bytes) {
        if (bytes <= lent_.zeroed) return;
        const OnDevice here(device_.index);
        api::zero(lent_.memory + lent_.bytes - bytes, bytes - lent_.zeroed, stream_);
        lent_.zeroed = bytes;
    }

    Device device_;
    Stream stream_;
    Mode mode_ = Mode::launches;
    LaunchPlan* recording_ = nullptr;   // the record that `launch` adds to
    bool records_lent_ = false;         // with the memory that is lent, not the launcher's own
    ScratchNeeds measured_;
    struct {
        char* memory = nullptr;
        std::size_t bytes = 0, zeroed = 0;      ///< zeroed: at the end
    } lent_;
    Scratch workspace_{"workspace", false}, semaphores_{"semaphores", true};
    bool rows_published_ = false;
    std::size_t held_ = 0;   // bytes at the front of the workspace
    List<Loaded> loaded_;    // by address
    LaunchPlans plans_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
