// SPDX-License-Identifier: Apache-2.0
/// Weights on their way from a file to the layout a target reads: converted, reordered and packed once, at load, into one
/// arena. Without a source it only measures, so the arena is sized before anything is read.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/exec/packed.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::nn {

/// T: storage type of the model. Source: `copy<T>(name, shape, T* to)` writes a named tensor, converted to T, or throws
/// an error that names it; a source with `list(name, shape)` instead is only told what the model asks for. Target: packs.
template <Storage T, class Source, class Target>
class Loader {
public:
    Loader(const Source* source, Target& target, Arena& arena, std::string prefix = "")
        : source_(source), target_(&target), arena_(&arena), prefix_(std::move(prefix)) {}

    /// The loader of a part of the model: names are looked up below `part`.
    Loader operator/(const std::string& part) const {
        return {source_, *target_, *arena_, prefix_ + part + "."};
    }
    Loader operator/(int i) const { return *this / std::to_string(i); }

    template <class... I>
    Tensor<const T, sizeof...(I)> tensor(const std::string& name, I... extents) const {
        const Extents<sizeof...(I)> e{{static_cast<index_t>(extents)...}};
        T* to = take(count(e));
        fetch(name, {static_cast<index_t>(extents)...}, to);
        return {to, e};
    }
    Packed<T, 2> linear(const std::string& name, index_t n, index_t k) const { return stacked({name}, {n}, k); }
    /// Several linear weights as one, rows one after the other: one product computes them all.
    Packed<T, 2> stacked(std::initializer_list<std::string> names, std::initializer_list<index_t> rows,
                         index_t k) const {
        index_t n = 0;
        for (index_t r : rows) n += r;
        T* to = take(Target::packed_size(1, n, k));
        std::vector<T> w(source_ && reads ? static_cast<std::size_t>(n * k) : 0);
        index_t at = 0;
        auto r = rows.begin();
        for (const auto& name : names) {
            fetch(name, {*r, k}, w.data() + at);
            if (source_ && reads) at += *r * k;
            ++r;
        }
        if (!source_ || !reads) return {to, {{n, k}}};
        return target_->pack(Tensor<T, 2>(w.data(), {{n, k}}), to);
    }
    /// Several bias vectors as one.
    Tensor<const T, 1> stacked(std::initializer_list<std::string> names, index_t each) const {
        const index_t n = each * static_cast<index_t>(names.size());
        T* to = take(n);
        T* at = to;
        for (const auto& name : names) {
            fetch(name, {each}, at);
            at += each;
        }
        return {to, {{n}}};
    }
    /// A filter stored [O, I, R, S], as [O, R, S, I].
    Packed<T, 4> conv(const std::string& name, index_t o, index_t i, index_t r, index_t s) const {
        T* to = take(Target::packed_size(1, o, r * s * i));
        std::vector<T> oirs(source_ && reads ? static_cast<std::size_t>(o * i * r * s) : 0), orsi(oirs.size());
        fetch(name, {o, i, r, s}, oirs.data());
        if (oirs.empty()) return {to, {{o, r, s, i}}};
        target_->threads().parallel_for(o, [&](index_t out, int) {
            const T* from = oirs.data() + out * i * r * s;
            T* into = orsi.data() + out * i * r * s;
            for (index_t c = 0; c < i; ++c)
                for (index_t tap = 0; tap < r * s; ++tap) into[tap * i + c] = from[c * r * s + tap];
        });
        return target_->pack(Tensor<T, 4>(orsi.data(), {{o, r, s, i}}), to);
    }

private:
    /// Whether the source has data, not only an interest in names.
    static constexpr bool reads = !requires(const Source& s) { s.list(std::string(), std::vector<index_t>()); };

    void fetch(const std::string& name, const std::vector<index_t>& shape, [[maybe_unused]] T* to) const {
        if (!source_) return;
        if constexpr (reads) source_->template copy<T>(prefix_ + name, shape, to);
        else source_->list(prefix_ + name, shape);
    }
    T* take(index_t n) const { return static_cast<T*>(arena_->take(sizeof(T) * static_cast<std::size_t>(n))); }

    const Source* source_;
    Target* target_;
    Arena* arena_;
    std::string prefix_;
};

}  // namespace inlay::inline INLAY_ABI::nn
