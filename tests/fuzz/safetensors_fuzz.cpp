// SPDX-License-Identifier: Apache-2.0
/// Any bytes as a safetensors file: an error, or tensors that lie inside the bytes, cover them once and can all be
/// read.
#include <inlay/io/weights/safetensors.hpp>
#include <inlay/io/weights/load.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace inlay;

namespace {

void check(bool ok) {
    if (!ok) std::abort();
}

void read_all(std::span<const std::byte> bytes) {
    const auto file = std::make_shared<io::Safetensors>(bytes, "fuzz");
    io::Weights weights("fuzz");
    weights.add(file, [](std::string_view name) { return std::string(name); });
    std::size_t covered = 0;
    for (const auto& [name, tensor] : file->tensors()) {
        covered += tensor.end - tensor.begin;
        if (!tensor.type->weight) continue;
        const io::WeightView view = file->at(name);
        check(view.bytes() == tensor.end - tensor.begin);
        check(view.data >= bytes.data() && view.data + view.bytes() <= bytes.data() + bytes.size());
        check(view.bytes() <= bytes.size());
        if (name.empty()) continue;  // renamed to nothing
        std::vector<float> values(static_cast<std::size_t>(view.size()));
        if (view.dtype != DType::i32) weights.copy(name, view.shape, values.data());
    }
    check(covered <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    try {
        read_all(bytes);
    } catch (const Error&) {
    }
    // The same with the length put right, so that mutations of the JSON get past the first check: the first two bytes
    // say how much of the rest is header.
    if (size < 2) return 0;
    const std::size_t length = std::min<std::size_t>(data[0] | data[1] << 8, size - 2);
    std::vector<std::byte> file(8);
    for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<std::byte>(length >> (8 * i));
    file.insert(file.end(), bytes.begin() + 2, bytes.end());
    try {
        read_all(file);
    } catch (const Error&) {
    }
    return 0;
}
