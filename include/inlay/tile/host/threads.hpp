// SPDX-License-Identifier: Apache-2.0
/// The persistent threads of the host executor: `parallel_for` over tasks, and scratch memory for each worker.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace inlay::inline INLAY_ABI::on_host {

/// Memory for intermediate results, aligned to a cache line. Growing it discards the content.
class Scratch {
public:
    static constexpr std::size_t alignment = 64;

    void* get(std::size_t bytes) {
        if (bytes > size_) {
            data_.reset();
            data_.reset(::operator new(bytes, std::align_val_t(alignment)));
            size_ = bytes;
        }
        return data_.get();
    }

private:
    struct Free {
        void operator()(void* p) const { ::operator delete(p, std::align_val_t(alignment)); }
    };
    std::unique_ptr<void, Free> data_;
    std::size_t size_ = 0;
};

/// `size()` workers: the calling thread and `size() - 1` threads that wait, first spinning and then asleep.
///
/// Any host thread may call; of two calls at once, one waits. A task may call `parallel_for` of its own pool: that runs
/// in the task's thread alone, with scratch memory of its own. A task must not wait for another pool that waits for it.
class Threads {
public:
    /// n ≤ 0: as many as the machine has.
    explicit Threads(int n = 0) {
        if (n <= 0) n = (std::max)(1, static_cast<int>(std::thread::hardware_concurrency()));
        require(n <= most, "Threads: at most ", most, " workers, not ", n);
        scratch_.resize(static_cast<std::size_t>(n) * levels);
        try {
            for (int i = 1; i < n; ++i) threads_.emplace_back([this, i] { work(i); });
        } catch (...) {
            stop();
            throw;
        }
    }
    ~Threads() { stop(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    int size() const { return static_cast<int>(scratch_.size()) / levels; }

    /// Calls f(i, worker) once for every i in [0, n), in any order; worker in [0, size()) is never shared by two calls
    /// that run at once. Returns when all are done. The first exception ends the loop early and is thrown here.
    template <class F>
    void parallel_for(index_t n, F&& f) {
        using Body = std::remove_reference_t<F>;
        if (n <= 0) return;
        if (const Place* p = place_here()) {
            const Place nested{this, p->worker, p->level + 1, here()};
            const Enter enter(&nested);
            for (index_t i = 0; i < n; ++i) f(i, p->worker);
            return;
        }
        const std::lock_guard turn(turn_);
        const Place place{this, 0, 0, here()};
        const Enter enter(&place);
        if (n == 1 || threads_.empty()) {
            for (index_t i = 0; i < n; ++i) f(i, 0);
            return;
        }
        run_ = [](void* body, index_t begin, index_t end, int worker) {
            for (index_t i = begin; i < end; ++i) (*static_cast<Body*>(body))(i, worker);
        };
        body_ = const_cast<void*>(static_cast<const void*>(std::addressof(f)));
        n_ = n;
        chunk_ = std::max<index_t>(1, n / (index_t(size()) * 8));
        next_.store(0, std::memory_order_relaxed);
        error_ = nullptr;
        open();
        drain(0);
        close();
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    /// Scratch memory of a worker, for the duration of one task. The same memory every time, so one call a task is
    /// enough.
    void* scratch(int worker, std::size_t bytes) {
        const Place* p = place_here();
        const int level = p ? p->level : 0;
        require(level < levels, "Threads: scratch memory is taken in ", level + 1, " nested loops, at most ",
                levels);
        return scratch_[static_cast<std::size_t>(worker * levels + level)].get(bytes);
    }
    /// Grows every worker's scratch memory, so that no later task that needs at most `bytes` allocates.
    void reserve(std::size_t bytes) {
        const std::lock_guard turn(turn_);
        for (int w = 0; w < size(); ++w) scratch_[static_cast<std::size_t>(w * levels)].get(bytes);
    }

private:
    static constexpr int levels = 3, most = 1000;
    // state_: workers inside the loop, whether the loop is open, and its number.
    static constexpr std::uint32_t count_mask = 0x3ff, open_bit = 0x400, number = 0x800;
    static constexpr int spins = 4000;

    /// The pool inside whose loops a thread is.
    struct Place {
        const Threads* pool;
        int worker, level;
        const Place* outer;
    };
    static const Place*& here() {
        static thread_local const Place* place = nullptr;
        return place;
    }
    const Place* place_here() const {
        const Place* p = here();
        while (p && p->pool != this) p = p->outer;
        return p;
    }
    struct Enter {
        explicit Enter(const Place* p) { here() = p; }
        ~Enter() { here() = here()->outer; }
        Enter(const Enter&) = delete;
    };

    static void pause() {
#if defined(__x86_64__)
        _mm_pause();
#endif
    }

    void open() {
        const std::uint32_t s = state_.load(std::memory_order_relaxed);
        state_.store((s & ~count_mask) + number + open_bit, std::memory_order_release);
        state_.notify_all();
    }
    /// No worker enters any more; waits for those inside. One that slept through the loop is not waited for.
    void close() {
        std::uint32_t s = state_.fetch_and(~open_bit, std::memory_order_acq_rel) & ~open_bit;
        for (int i = 0; s & count_mask; s = state_.load(std::memory_order_acquire))
            if (++i < spins) pause();
            else state_.wait(s, std::memory_order_acquire);
    }
    void stop() {
        stopping_.store(true, std::memory_order_relaxed);
        state_.fetch_add(number, std::memory_order_release);
        state_.notify_all();
        for (std::thread& t : threads_) t.join();
    }

    void drain(int worker) {
        for (;;) {
            const index_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
            if (begin >= n_) return;
            try {
                run_(body_, begin, (std::min)(begin + chunk_, n_), worker);
            } catch (...) {
                const std::lock_guard lock(error_lock_);
                if (!error_) error_ = std::current_exception();
                next_.store(n_, std::memory_order_relaxed);
            }
        }
    }

    void work(int worker) {
        const Place place{this, worker, 0, nullptr};
        const Enter enter(&place);
        std::uint32_t seen = 0;
        for (;;) {
            std::uint32_t s = state_.load(std::memory_order_acquire);
            for (int i = 0; !stopping_.load(std::memory_order_relaxed) && (!(s & open_bit) || same_loop(s, seen));
                 s = state_.load(std::memory_order_acquire))
                if (++i < spins) pause();
                else state_.wait(s, std::memory_order_acquire);
            if (stopping_.load(std::memory_order_relaxed)) return;
            if (!state_.compare_exchange_weak(s, s + 1, std::memory_order_acq_rel)) continue;
            seen = s;
            drain(worker);
            if (!(state_.fetch_sub(1, std::memory_order_acq_rel) & open_bit)) state_.notify_all();
        }
    }
    static bool same_loop(std::uint32_t a, std::uint32_t b) { return (a | count_mask) == (b | count_mask); }

    std::vector<std::thread> threads_;
    std::vector<Scratch> scratch_;
    std::mutex turn_, error_lock_;
    void (*run_)(void*, index_t, index_t, int) = nullptr;
    void* body_ = nullptr;
    index_t n_ = 0, chunk_ = 1;
    std::exception_ptr error_;
    std::atomic<bool> stopping_ = false;
    alignas(64) std::atomic<std::uint32_t> state_ = 0;
    alignas(64) std::atomic<index_t> next_ = 0;
};

}  // namespace inlay::inline INLAY_ABI::on_host
