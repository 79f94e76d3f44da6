// SPDX-License-Identifier: Apache-2.0
/// Writes a safetensors file tensor by tensor, so that a model never lies in memory as a whole.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/io/atomic_file.hpp>
#include <inlay/io/weights/safetensors_header.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

struct TensorDeclaration {
    std::string name;
    DType dtype = DType::f32;
    Shape shape;
};

/// First every tensor is declared, then each is appended in the order declared. The file takes its name in `commit`;
/// a writer that ends without it leaves nothing behind.
class SafetensorsWriter {
public:
    /// Throws when two tensors share a name, an extent is negative, a name is not UTF-8 or the file cannot be created.
    SafetensorsWriter(const std::filesystem::path& path, std::vector<TensorDeclaration> tensors,
                      const std::map<std::string, std::string>& metadata = {})
        : path_(path), file_(path), tensors_(std::move(tensors)) {
        // Ordered, so that a reader which goes through the header front to back also goes through the file so.
        nlohmann::ordered_json header = nlohmann::ordered_json::object();
        if (!metadata.empty()) header["__metadata__"] = metadata;
        std::set<std::string_view> names;
        std::uint64_t offset = 0;
        for (const TensorDeclaration& t : tensors_) {
            require(t.name != "__metadata__" && names.insert(t.name).second, "writing ", quote(path_), ": the name ",
                    quote(t.name), " is taken");
            std::uint64_t end = 0;
            require(!__builtin_add_overflow(offset, bytes(t), &end), "writing ", quote(path_), ": tensor ",
                    quote(t.name), " would end past 64 bits");
            header.push_back({t.name, {{"dtype", type(t.dtype)}, {"shape", t.shape}, {"data_offsets", {offset, end}}}});
            offset = end;
        }
        std::string json = text_of(header);
        json.append((8 - json.size() % 8) % 8, ' ');  // the data begins at a multiple of 8
        std::array<char, 8> length{};
        for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(json.size() >> (8 * i));
        file_.write(length.data(), length.size());
        file_.write(json);
    }

    /// Writes the next tensor. Throws unless it is the one declared next, in its type and with all its elements.
    template <Storage T>
    void append(const std::string& name, std::span<const T> data) {
        require(next_ < tensors_.size(), "writing ", quote(path_), ": tensor ", quote(name), " was not declared");
        const TensorDeclaration& t = tensors_[next_];
        require(t.name == name, "writing ", quote(path_), ": tensor ", quote(name), " comes where ", quote(t.name),
                " was declared");
        require(t.dtype == dtype_of<T> && data.size_bytes() == bytes(t), "writing ", quote(path_), ": tensor ",
                quote(name), " was declared as ", inlay::name(t.dtype), " ", text(t.shape), ", but ", data.size(),
                " elements of ", inlay::name(dtype_of<T>), " came");
        file_.write(data.data(), data.size_bytes());
        ++next_;
    }

    /// Throws unless every declared tensor was appended.
    void commit() {
        require(next_ == tensors_.size(), "writing ", quote(path_), ": ", tensors_.size() - next_,
                " declared tensors were not written");
        file_.commit();
    }

private:
    std::string text_of(const nlohmann::ordered_json& header) const {
        try {
            return header.dump();
        } catch (const nlohmann::json::type_error&) {
            fail("writing " + quote(path_) + ": a name or the metadata is not UTF-8");
        }
    }
    static std::uint64_t bytes(const TensorDeclaration& t) {
        std::uint64_t n = inlay::bytes(t.dtype);
        for (const index_t e : t.shape)
            require(e >= 0 && !__builtin_mul_overflow(n, static_cast<std::uint64_t>(e), &n), "tensor ", quote(t.name),
                    " cannot have the shape ", text(t.shape));
        return n;
    }
    static std::string type(DType dtype) {
        return std::string(std::ranges::find(stored_types, std::optional(dtype), &StoredType::weight)->name);
    }

    std::filesystem::path path_;
    AtomicFile file_;
    std::vector<TensorDeclaration> tensors_;
    std::size_t next_ = 0;
};

}  // namespace inlay::inline INLAY_ABI::io
