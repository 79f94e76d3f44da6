// SPDX-License-Identifier: Apache-2.0
/// Weights on their way from a file to the layout a target reads: converted, reordered and packed once, at load, into
/// one arena. Without a source it only measures, so the arena is sized before anything is read.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/exec/packed.hpp>
#include <inlay/nn/host_pool.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::nn {

/// T: storage type of the model. Source: `copy<T>(name, shape, T* to, each)` writes a named tensor, converted to T, to
/// host memory, in parts that `each(n, part)` shares out among threads, or throws an error that names it; a source with
/// `list(name, shape)` instead only receives names and shapes. Target: copies and packs.
template <Storage T, class Source, class Target>
class Loader {
public:
    Loader(const Source* source, Target& target, Arena& arena, std::string prefix = "")
        : Loader(source, target, arena, std::move(prefix), std::make_shared<Workbench>()) {}

    /// The loader of a part of the model: names are looked up below `part`.
    Loader operator/(const std::string& part) const {
        return {source_, *target_, *arena_, prefix_ + part + ".", bench_};
    }
    Loader operator/(int i) const { return *this / std::to_string(i); }

    template <class... I>
    Tensor<const T, sizeof...(I)> tensor(const std::string& name, I... extents) const {
        const Extents<sizeof...(I)> e{{static_cast<index_t>(extents)...}};
        const auto n = static_cast<index_t>(dense_bytes<T>(e) / sizeof(T));
        T* to = take(n);
        T* buffer = room(bench_->read, n);
        fetch(name, {static_cast<index_t>(extents)...}, buffer);
        upload(to, buffer, n);
        return {to, e};
    }
    Packed<T, 2> linear(const std::string& name, index_t n, index_t k) const {
        T* to = take(Target::packed_size(1, n, k));
        T* buffer = room(bench_->read, n * k);
        fetch(name, {n, k}, buffer);
        if (!buffer) return {to, {{n, k}}};
        return target_->pack(Tensor<T, 2>(buffer, {{n, k}}), to);
    }
    /// The same of a weight stored [K, N], as GPT-2's are.
    Packed<T, 2> transposed_linear(const std::string& name, index_t n, index_t k) const {
        T* to = take(Target::packed_size(1, n, k));
        T* kn = room(bench_->read, n * k);
        T* nk = room(bench_->ordered, n * k);
        fetch(name, {k, n}, kn);
        if (!kn) return {to, {{n, k}}};
        constexpr index_t tile = 32;  // of rows, so that a cache line that is read serves all of them
        threads().parallel_for((n + tile - 1) / tile, [&](index_t t, int) {
            const index_t end = (std::min)(n, (t + 1) * tile);
            for (index_t j = 0; j < k; ++j)
                for (index_t i = t * tile; i < end; ++i) nk[i * k + j] = kn[j * n + i];
        });
        return target_->pack(Tensor<T, 2>(nk, {{n, k}}), to);
    }
    /// A filter stored [O, I, R, S], as [O, R, S, I].
    Packed<T, 4> conv(const std::string& name, index_t o, index_t i, index_t r, index_t s) const {
        T* to = take(Target::packed_size(1, o, r * s * i));
        T* oirs = room(bench_->read, o * i * r * s);
        T* orsi = room(bench_->ordered, o * i * r * s);
        fetch(name, {o, i, r, s}, oirs);
        if (!oirs) return {to, {{o, r, s, i}}};
        threads().parallel_for(o, [&](index_t out, int) {
            const T* from = oirs + out * i * r * s;
            T* into = orsi + out * i * r * s;
            for (index_t c = 0; c < i; ++c)
                for (index_t tap = 0; tap < r * s; ++tap) into[tap * i + c] = from[c * r * s + tap];
        });
        return target_->pack(Tensor<T, 4>(orsi, {{o, r, s, i}}), to);
    }

    /// A named tensor in host memory, as its source has it; empty where nothing is read.
    HostArray<T> on_host(const std::string& name, const std::vector<index_t>& shape) const {
        index_t n = 1;
        for (index_t e : shape) n *= e;
        HostArray<T> to;
        if (source_ && reads) to = room<T>(n);
        fetch(name, shape, to.empty() ? nullptr : to.data());
        return to;
    }
    /// Host memory for `n` elements, of any values.
    template <Storage U>
    HostArray<U> room(index_t n) const {
        return {bench_->pool, static_cast<std::size_t>(n)};
    }
    /// Calls f(i) for i below n, shared out among threads.
    template <class F>
    void each(index_t n, F&& f) const {
        threads().parallel_for(n, [&](index_t i, int) { f(i); });
    }
    /// Room for `n` elements of the target's memory, with those of `from` where there are some.
    template <Storage U>
    U* kept(const HostArray<U>& from, index_t n) const {
        const std::size_t bytes = sizeof(U) * static_cast<std::size_t>(n);
        U* to = static_cast<U*>(arena_->take(bytes));
        if (!from.empty()) target_->upload(to, from.data(), bytes);
        return to;
    }
    /// The same for a weight that a product reads, packed. `groups`: of a convolution.
    template <int R>
    Packed<T, R> packed(HostArray<T>& from, const Extents<R>& e, index_t groups = 1) const {
        index_t k = 1;
        for (int i = 1; i < R; ++i) k *= e[i];
        T* to = take(Target::packed_size(groups, e[0] / groups, k));
        if (from.empty()) return {to, e, groups};
        return target_->pack(Tensor<T, R>(from.data(), e), to, groups);
    }

private:
    /// Shared by the loaders of one network: memory for tensors between file and target, and the threads that convert
    /// them.
    struct Workbench {
        std::shared_ptr<HostPool> pool = std::make_shared<HostPool>();
        std::vector<T> read, ordered;
        std::optional<on_host::Threads> threads;
    };

    Loader(const Source* source, Target& target, Arena& arena, std::string prefix, std::shared_ptr<Workbench> bench)
        : source_(source), target_(&target), arena_(&arena), prefix_(std::move(prefix)), bench_(std::move(bench)) {}

    /// True if the source has data; false if it only lists names.
    static constexpr bool reads = !requires(const Source& s) { s.list(std::string(), std::vector<index_t>()); };

    /// The target's own threads where it has some.
    on_host::Threads& threads() const {
        if constexpr (requires(Target& t) { t.threads(); }) return target_->threads();
        else {
            if (!bench_->threads) bench_->threads.emplace();
            return *bench_->threads;
        }
    }
    void fetch(const std::string& name, const std::vector<index_t>& shape, [[maybe_unused]] T* to) const {
        if (!source_) return;
        if constexpr (reads)
            source_->template copy<T>(prefix_ + name, shape, to, [&](index_t n, const auto& part) {
                threads().parallel_for(n, [&](index_t i, int) { part(i); });
            });
        else source_->list(prefix_ + name, shape);
    }
    T* take(index_t n) const { return static_cast<T*>(arena_->take(sizeof(T) * static_cast<std::size_t>(n))); }
    /// Room for n elements on the workbench; null where nothing is read.
    T* room(std::vector<T>& v, index_t n) const {
        if (!source_ || !reads) return nullptr;
        if (v.size() < static_cast<std::size_t>(n)) v.resize(static_cast<std::size_t>(n));
        return v.data();
    }
    void upload(T* to, const T* from, index_t n) const {
        if (from) target_->upload(to, from, sizeof(T) * static_cast<std::size_t>(n));
    }

    const Source* source_;
    Target* target_;
    Arena* arena_;
    std::string prefix_;
    std::shared_ptr<Workbench> bench_;
};

}  // namespace inlay::inline INLAY_ABI::nn
