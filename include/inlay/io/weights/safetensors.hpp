// SPDX-License-Identifier: Apache-2.0
/// A safetensors file, mapped into memory and checked once when it is opened.
#pragma once

#include <inlay/io/mapped_file.hpp>
#include <inlay/io/weights/safetensors_header.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

/// A tensor as it lies in a file: dense, row-major, little-endian. The format promises no alignment, and files of 2022
/// have none, so read elements with memcpy or through `Weights::copy`. Valid for the life of the file object.
struct WeightView {
    DType dtype = DType::f32;          ///< the narrowest that holds every value
    const StoredType* type = nullptr;  ///< as the bytes are stored
    Shape shape;
    const std::byte* data = nullptr;

    index_t size() const {
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        return n;
    }
    std::size_t bytes() const { return static_cast<std::size_t>(size()) * (type->bits / 8); }
};

class Safetensors {
public:
    /// Maps and checks `path`. Throws one sentence when the file cannot be read or its header does not agree with it.
    explicit Safetensors(const std::filesystem::path& path)
        : file_(path),
          source_("safetensors file " + quote(path)),
          bytes_(file_->bytes()),
          header_(read_safetensors_header(bytes_, source_)) {}
    /// The same over bytes that the caller keeps alive; `source` names them in errors.
    Safetensors(std::span<const std::byte> bytes, std::string source)
        : source_(std::move(source)), bytes_(bytes), header_(read_safetensors_header(bytes_, source_)) {}

    bool contains(std::string_view name) const { return header_.tensors.find(name) != header_.tensors.end(); }

    /// Throws when there is no such tensor, or its type is none a weight can have (I64 …).
    WeightView at(std::string_view name) const {
        const auto it = header_.tensors.find(name);
        require(it != header_.tensors.end(), source_, ": no tensor ", quote(name));
        const StoredTensor& t = it->second;
        require(t.type->weight.has_value(), source_, ": tensor ", quote(name), " is ", std::string(t.type->name),
                ", expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2 or I32");
        return {*t.type->weight, t.type, t.shape, bytes_.data() + header_.data_begin + t.begin};
    }

    /// Every tensor of the file, those that are no weights too, by name.
    const std::map<std::string, StoredTensor, std::less<>>& tensors() const { return header_.tensors; }
    /// The free text the writer left, by key.
    const std::map<std::string, std::string, std::less<>>& metadata() const { return header_.metadata; }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& [name, tensor] : header_.tensors) out.push_back(name);
        return out;
    }
    /// "safetensors file 'model.safetensors'"
    const std::string& source() const { return source_; }

private:
    std::optional<MappedFile> file_;
    std::string source_;
    std::span<const std::byte> bytes_;
    SafetensorsHeader header_;
};

}  // namespace inlay::inline INLAY_ABI::io
