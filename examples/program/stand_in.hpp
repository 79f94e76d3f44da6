// SPDX-License-Identifier: Apache-2.0
/// Stand-ins for published models: folders of seeded weights, to try a program without a download.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/io/atomic_file.hpp>
#include <inlay/io/json_file.hpp>
#include <inlay/io/weights/safetensors_writer.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace stand_in {

using namespace inlay;

/// Names and shapes of tensors.
using Tensors = std::vector<std::pair<std::string, std::vector<index_t>>>;

/// Nearly normal numbers of variance 1, from four 16-bit uniforms: a fixed function of seed and position.
class Noise {
public:
    explicit Noise(std::uint64_t seed) : state_(seed) {}
    float operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;  // splitmix64 (Steele, Lea, Flood 2014)
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        const auto sum = static_cast<float>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48));
        return (sum - 131070.0f) * (1.7320508f / 65536.0f);
    }

private:
    std::uint64_t state_;
};

inline bool ends_with_any(const std::string& s, std::initializer_list<const char*> ends) {
    for (const char* e : ends)
        if (s.ends_with(e)) return true;
    return false;
}

/// `spread(name, shape)`: the standard deviation of a tensor's elements, and their mean.
template <Storage T, class Spread>
void write_weights(const std::filesystem::path& file, const Tensors& tensors, std::uint64_t seed,
                   const Spread& spread) {
    std::vector<io::TensorDeclaration> declared;
    for (const auto& [name, shape] : tensors) declared.push_back({name, dtype_of<T>, shape});
    io::SafetensorsWriter writer(file, declared, {{"format", "pt"}});
    std::vector<T> data;
    for (const auto& [name, shape] : tensors) {
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        const auto [deviation, mean] = spread(name, shape);
        std::uint64_t key = seed;
        for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;  // FNV-1a
        Noise noise(key);
        data.resize(static_cast<std::size_t>(n));
        for (T& x : data) x = to_storage<T>(mean + deviation * noise());
        writer.append<T>(name, std::span<const T>(data));
    }
    writer.commit();
}

inline void write_json(const std::filesystem::path& path, const io::Json& json) {
    io::write_file(path, json.dump(2) + "\n");
}

/// Throws unless the folder of --make-model is new. Its name is without a last slash.
inline std::filesystem::path new_folder(const std::filesystem::path& given) {
    const std::filesystem::path folder = given.has_filename() ? given : given.parent_path();
    require(!std::filesystem::exists(folder), "--make-model: '", folder.string(),
            "' exists already; nothing is overwritten");
    return folder;
}

/// Calls `write(part)` for a folder that takes the name `folder` when it is whole, so that an interrupted run leaves
/// nothing that looks like a model.
template <class F>
void write_folder(const std::filesystem::path& folder, const F& write) {
    std::filesystem::path part = folder;
    part += ".part." + std::to_string(::getpid());
    require(!std::filesystem::exists(part), "--make-model: '", part.string(), "' is in the way");
    try {
        std::filesystem::create_directories(part);
        write(std::as_const(part));
        std::filesystem::rename(part, folder);
    } catch (const std::filesystem::filesystem_error& e) {
        std::error_code ignored;
        std::filesystem::remove_all(part, ignored);
        fail("--make-model: cannot write '" + folder.string() + "': " + e.code().message());
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove_all(part, ignored);
        throw;
    }
}

}  // namespace stand_in
