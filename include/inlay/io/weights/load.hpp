// SPDX-License-Identifier: Apache-2.0
/// The weights of one component (text encoder, UNet, VAE) by the model's names for them, whatever files they lie in and
/// whatever their names there.
#pragma once

#include <inlay/io/weights/float8.hpp>
#include <inlay/io/weights/safetensors.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// Elements of `From` (a storage type or a Float8), at any alignment, stored as `To`.
template <Storage To, class From>
void convert(const std::byte* from, index_t n, To* to) {
    if constexpr (std::is_same_v<To, From>) {
        if (n > 0) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(To));
    } else {
        using Compute = std::conditional_t<std::is_same_v<To, double>, double, float>;
        From block[512];
        for (index_t i = 0; i < n; i += 512) {
            const index_t m = std::min<index_t>(512, n - i);
            std::memcpy(block, from + static_cast<std::size_t>(i) * sizeof(From),
                        static_cast<std::size_t>(m) * sizeof(From));
            for (index_t j = 0; j < m; ++j) {
                if constexpr (Storage<From>) to[i + j] = to_storage<To>(from_storage<Compute>(block[j]));
                else to[i + j] = to_storage<To>(static_cast<float>(block[j]));
            }
        }
    }
}

/// A 1×1 filter is a matrix: [O,I] and [O,I,1,1] hold the same weights.
inline std::span<const index_t> without_filter(std::span<const index_t> shape) {
    while (shape.size() > 2 && shape.back() == 1) shape = shape.first(shape.size() - 1);
    return shape;
}

}  // namespace detail

class Weights {
public:
    Weights() = default;
    /// `component` opens every error: "unet".
    explicit Weights(std::string component) : component_(std::move(component)) {}

    /// Adds the tensors of `file` under `rename(stored name)`; those renamed to nothing belong to another component.
    /// Throws when two tensors get one name. The files live as long as the weights do.
    template <class Rename>
    void add(std::shared_ptr<const Safetensors> file, const Rename& rename) {
        for (const auto& [stored, tensor] : file->tensors()) {
            const std::string name = rename(std::string_view(stored));
            if (name.empty()) continue;
            const auto [it, fresh] = entries_.try_emplace(name, Entry{file.get(), stored});
            require(fresh, component_, ": tensor ", quote(name), " comes twice, from ", it->second.file->source(),
                    " and ", file->source());
        }
        files_.push_back(std::move(file));
    }

    bool contains(std::string_view name) const { return entries_.find(name) != entries_.end(); }

    /// The tensor in its stored shape. Throws when it is missing or no weight.
    WeightView get(std::string_view name) const { return entry(name, "").view(); }

    /// The tensor as `shape`. Throws when it is missing, no weight, or of another shape; [O,I] and [O,I,1,1] are the
    /// same.
    WeightView get(std::string_view name, const Shape& shape) const {
        const Entry& e = entry(name, ", expected with shape " + text(shape));
        WeightView view = e.view();
        require(std::ranges::equal(detail::without_filter(view.shape), detail::without_filter(shape)), component_,
                ": tensor ", quote(name), " has shape ", text(view.shape), " in ", e.file->source(), ", expected ",
                text(shape));
        view.shape = shape;
        return view;
    }

    /// Copies the tensor to `dst`, rounding to nearest even where T is narrower. int32 is only copied to int32, and
    /// 8-bit weights only where no scale lies beside them.
    template <Storage T>
    void copy(std::string_view name, const Shape& shape, T* dst) const {
        copy(name, shape, dst, [](index_t n, const auto& part) {
            for (index_t i = 0; i < n; ++i) part(i);
        });
    }
    /// The same in parts: `each(n, part)` calls part(i) once for each i < n, from any number of threads.
    template <Storage T, class Each>
    void copy(std::string_view name, const Shape& shape, T* dst, const Each& each) const {
        const WeightView view = get(name, shape);
        require((view.dtype == DType::i32) == (dtype_of<T> == DType::i32), component_, ": tensor ", quote(name), " is ",
                inlay::name(view.dtype), ", expected ", inlay::name(dtype_of<T>));
        require_unscaled(name);
        const auto convert = [&]<class From>(From) {
            constexpr index_t part = 1 << 16;
            const index_t n = view.size();
            each((n + part - 1) / part, [&](index_t i) {
                detail::convert<T, From>(view.data + static_cast<std::size_t>(i * part) * sizeof(From),
                                         (std::min)(part, n - i * part), dst + i * part);
            });
        };
        if (view.type->float8 == Float8::e4m3) return convert(Float8E4M3());
        if (view.type->float8 == Float8::e5m2) return convert(Float8E5M2());
        if constexpr (dtype_of<T> == DType::i32) return convert(std::int32_t());
        else switch (view.dtype) {
                case DType::f64: return convert(double());
                case DType::f32: return convert(float());
                case DType::f16: return convert(fp16());
                case DType::bf16: return convert(bf16());
                case DType::i32:
                case DType::f8: return;     // read as `Float8E4M3`
            }
    }

    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& [name, e] : entries_) out.push_back(name);
        return out;
    }
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        const Safetensors* file;
        std::string stored;
        WeightView view() const { return file->at(stored); }
    };

    /// Throws for 8-bit weights that other programs multiply by a factor, stored beside them.
    void require_unscaled(std::string_view name) const {
        const Entry& e = entry(name, "");
        constexpr std::string_view weight = "weight";
        if (e.view().type->float8 == Float8::none || !e.stored.ends_with(weight)) return;
        const std::string front = e.stored.substr(0, e.stored.size() - weight.size());
        for (const char* scale : {"scale_weight", "weight_scale", "weight_scale_inv"})
            require(!e.file->contains(front + scale), component_, ": tensor ", quote(e.stored), " of ",
                    std::string(e.view().type->name), " has a scale ", quote(front + scale), " beside it in ",
                    e.file->source(), ", expected none");
    }

    const Entry& entry(std::string_view name, const std::string& expected) const {
        const auto it = entries_.find(name);
        if (it != entries_.end()) return it->second;
        std::string where = files_.empty() ? "no file" : files_.front()->source();
        if (files_.size() > 1) where += " and " + std::to_string(files_.size() - 1) + " more";
        fail(component_ + ": no tensor " + quote(name) + " in " + where + expected);
    }

    std::string component_;
    std::map<std::string, Entry, std::less<>> entries_;
    std::vector<std::shared_ptr<const Safetensors>> files_;
};

}  // namespace inlay::inline INLAY_ABI::io
