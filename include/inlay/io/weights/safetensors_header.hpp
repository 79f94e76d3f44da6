// SPDX-License-Identifier: Apache-2.0
/// The header of a safetensors file: read in one pass, accepted only where it agrees with the file.
/// Format: u64 little-endian length of the header, the header as JSON, the data. Every byte of the data belongs to
/// exactly one tensor.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/error.hpp>
#include <inlay/io/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

enum class Float8 : std::uint8_t { none, e4m3, e5m2 };

/// A type that safetensors can store. Those without `weight` may lie in a file (CLIP's position_ids are I64), and
/// only reading such a tensor is an error.
struct StoredType {
    std::string_view name;
    std::uint64_t bits;           ///< of an element
    std::optional<DType> weight;  ///< the narrowest that holds every value
    Float8 float8 = Float8::none;
};
inline constexpr std::array<StoredType, 22> stored_types{{
    {"F64", 64, DType::f64}, {"F32", 32, DType::f32}, {"F16", 16, DType::f16}, {"BF16", 16, DType::bf16},
    {"I32", 32, DType::i32}, {"F8_E4M3", 8, DType::f16, Float8::e4m3}, {"F8_E5M2", 8, DType::f16, Float8::e5m2},
    {"C64", 64, {}}, {"I64", 64, {}}, {"U64", 64, {}}, {"U32", 32, {}}, {"I16", 16, {}}, {"U16", 16, {}},
    {"I8", 8, {}}, {"U8", 8, {}}, {"BOOL", 8, {}}, {"F8_E8M0", 8, {}}, {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}}, {"F6_E2M3", 6, {}}, {"F6_E3M2", 6, {}}, {"F4", 4, {}},
}};

struct StoredTensor {
    const StoredType* type = nullptr;
    Shape shape;
    std::uint64_t begin = 0, end = 0;  ///< in bytes, from the start of the data
};

struct SafetensorsHeader {
    std::map<std::string, StoredTensor, std::less<>> tensors;
    std::map<std::string, std::string, std::less<>> metadata;
    std::size_t data_begin = 0;  ///< in bytes, from the start of the file
};

namespace detail {

/// Receives the JSON events of a header. Anything but the format's own structure stops it at once, and further fields
/// of a tensor leave nothing behind, so that no input costs more memory than its own size.
class HeaderEvents {
public:
    HeaderEvents(SafetensorsHeader& header, const std::string& source) : header_(header), source_(source) {}

    bool start_object(std::size_t) {
        if (ignored()) return ++depth_, true;
        if (at_ == At::file) return at_ = At::names, true;
        if (at_ != At::names) return unexpected("an object");
        if (name_ == "__metadata__") return at_ = At::metadata, true;
        tensor_ = {};
        further_ = false;
        fields_.clear();
        offsets_.clear();
        return at_ = At::tensor, true;
    }
    bool key(std::string& key) {
        if (depth_ > 0) return true;
        if (at_ == At::metadata) return field_ = key, true;
        if (at_ == At::names) {
            name_ = key;
            require(key == "__metadata__" ? !std::exchange(has_metadata_, true) : !header_.tensors.contains(key),
                    source_, ": the header names ", quote(key), " twice");
            return true;
        }
        further_ = key != "dtype" && key != "shape" && key != "data_offsets";
        if (further_) return true;
        require(fields_.insert(key).second, source_, ": tensor ", quote(name_), " has the field '", key, "' twice");
        return field_ = key, true;
    }
    bool string(std::string& value) {
        if (ignored()) return true;
        if (at_ == At::metadata) return header_.metadata[field_] = value, true;
        if (at_ != At::tensor || field_ != "dtype") return unexpected("a string");
        const auto type = std::ranges::find(stored_types, value, &StoredType::name);
        require(type != stored_types.end(), source_, ": tensor ", quote(name_), " has the unknown dtype ",
                quote(value));
        return tensor_.type = &*type, true;
    }
    bool start_array(std::size_t) {
        if (ignored()) return ++depth_, true;
        if (at_ == At::tensor && field_ == "shape") return at_ = At::shape, true;
        if (at_ == At::tensor && field_ == "data_offsets") return at_ = At::offsets, true;
        return unexpected("an array");
    }
    bool number_unsigned(std::uint64_t value) {
        if (ignored()) return true;
        if (at_ == At::shape) {
            require(value <= static_cast<std::uint64_t>((std::numeric_limits<index_t>::max)()), source_, ": tensor ",
                    quote(name_), " has an extent of ", value);
            require(tensor_.shape.size() < most_axes, source_, ": tensor ", quote(name_), " has more than ", most_axes,
                    " axes");
            return tensor_.shape.push_back(static_cast<index_t>(value)), true;
        }
        if (at_ != At::offsets || offsets_.size() == 2) return unexpected("a number");
        return offsets_.push_back(value), true;
    }
    bool end_array() {
        if (depth_ > 0) return --depth_, true;
        return at_ = At::tensor, true;
    }
    bool end_object() {
        if (depth_ > 0) return --depth_, true;
        if (at_ == At::names) return at_ = At::file, true;
        if (at_ == At::tensor) {
            require(fields_.size() == 3 && offsets_.size() == 2, source_, ": tensor ", quote(name_),
                    " needs dtype, shape and two data_offsets");
            tensor_.begin = offsets_[0];
            tensor_.end = offsets_[1];
            header_.tensors.emplace(name_, std::move(tensor_));
        }
        return at_ = At::names, true;
    }
    bool null() { return (at_ == At::names && name_ == "__metadata__") || unexpected("null"); }
    bool boolean(bool) { return unexpected("a boolean"); }
    bool number_integer(std::int64_t) { return unexpected("a negative number"); }
    bool number_float(double, const std::string&) { return unexpected("a fraction or a number past 64 bits"); }
    bool binary(nlohmann::json::binary_t&) { return unexpected("binary"); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
        fail(source_ + ": the header is not valid JSON at its byte " + std::to_string(position));
    }

private:
    static constexpr std::size_t most_axes = 64;  ///< as PyTorch has
    enum class At { file, names, metadata, tensor, shape, offsets };

    /// Inside a further field of a tensor, which the format permits.
    bool ignored() const { return depth_ > 0 || (at_ == At::tensor && further_); }
    bool unexpected(const char* what) const {
        if (ignored()) return true;
        if (at_ == At::file) fail(source_ + ": the header is " + what + ", expected an object");
        fail(source_ + ": the header's entry " + quote(name_) + " holds " + what + " where none belongs");
    }

    SafetensorsHeader& header_;
    const std::string& source_;
    At at_ = At::file;
    std::string name_, field_;
    std::set<std::string> fields_;
    StoredTensor tensor_;
    bool has_metadata_ = false, further_ = false;
    std::size_t depth_ = 0;  ///< of brackets in a further field
    std::vector<std::uint64_t> offsets_;
};

/// Throws unless the tensor's bytes are as many as its shape and type imply.
inline void check_size(const std::string& source, const std::string& name, const StoredTensor& t, std::uint64_t data) {
    require(t.begin <= t.end, source, ": tensor ", quote(name), " ends at byte ", t.end, ", before it begins at ",
            t.begin);
    require(t.end <= data, source, ": tensor ", quote(name), " ends at byte ", t.end, " of the data, which has only ",
            data);
    std::uint64_t bits = t.type->bits;
    bool overflows = false;
    for (const index_t n : t.shape) overflows |= __builtin_mul_overflow(bits, static_cast<std::uint64_t>(n), &bits);
    require(!overflows, source, ": tensor ", quote(name), " has more elements than fit 64 bits, shape ", text(t.shape));
    require(bits % 8 == 0, source, ": tensor ", quote(name), " of shape ", text(t.shape), " in ",
            std::string(t.type->name), " has ", bits, " bits, expected whole bytes");
    const std::uint64_t bytes = bits / 8;
    require(bytes == t.end - t.begin, source, ": tensor ", quote(name), " of shape ", text(t.shape), " in ",
            std::string(t.type->name), " needs ", bytes, " bytes, but its offsets span ", t.end - t.begin);
}

/// Throws unless the tensors cover the data once, with neither overlap nor hole.
inline void check_cover(const std::string& source, const SafetensorsHeader& header, std::uint64_t data) {
    std::vector<const std::pair<const std::string, StoredTensor>*> order;
    order.reserve(header.tensors.size());
    for (const auto& entry : header.tensors) order.push_back(&entry);
    std::ranges::sort(order, {}, [](auto* e) { return std::pair(e->second.begin, e->second.end); });
    std::uint64_t covered = 0;
    for (const auto* entry : order) {
        require(entry->second.begin >= covered, source, ": tensor ", quote(entry->first), " begins at byte ",
                entry->second.begin, ", inside another that ends at ", covered);
        require(entry->second.begin == covered, source, ": bytes ", covered, " to ", entry->second.begin,
                " of the data belong to no tensor");
        covered = entry->second.end;
    }
    require(covered == data, source, ": bytes ", covered, " to ", data, " of the data belong to no tensor");
}

}  // namespace detail

/// The cap of the format's reference implementation.
inline constexpr std::uint64_t safetensors_header_limit = 100'000'000;

/// Reads and checks the header of a whole file in memory. `source` opens every error: "safetensors file 'x'".
inline SafetensorsHeader read_safetensors_header(std::span<const std::byte> file, const std::string& source) {
    require(file.size() >= 8, source, ": ", file.size(), " bytes are too few to hold a header");
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<std::uint64_t>(file[static_cast<std::size_t>(i)]);
    require(length <= safetensors_header_limit, source, ": the header claims ", length, " bytes, the limit is ",
            safetensors_header_limit);
    require(length <= file.size() - 8, source, ": the header claims ", length, " bytes, but the file holds only ",
            file.size() - 8, " after the length");

    const char* json = reinterpret_cast<const char*>(file.data()) + 8;
    require(length > 0 && json[0] == '{', source, ": the header does not begin with '{'");
    SafetensorsHeader header;
    header.data_begin = 8 + length;
    detail::HeaderEvents events(header, source);
    nlohmann::json::sax_parse(json, json + length, &events);

    const std::uint64_t data = file.size() - header.data_begin;
    for (const auto& [name, tensor] : header.tensors) detail::check_size(source, name, tensor, data);
    detail::check_cover(source, header, data);
    return header;
}

}  // namespace inlay::inline INLAY_ABI::io
