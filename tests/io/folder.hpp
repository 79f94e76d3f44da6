// SPDX-License-Identifier: Apache-2.0
/// Shared by the tests of files: a folder that goes away, the sentence of an error, bytes and text of a file.
#pragma once

#include <tests_folder.hpp>

#include <inlay/core/error.hpp>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace test {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "inlay-test-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }

    const fs::path& path() const { return path_; }
    fs::path operator/(const fs::path& name) const { return path_ / name; }
    /// Files and folders in it, at any depth.
    int entries() const {
        int n = 0;
        for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(path_)) ++n;
        return n;
    }

private:
    fs::path path_;
};

inline void put(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}
inline std::string get(const fs::path& path) {
    std::ostringstream s;
    s << std::ifstream(path, std::ios::binary).rdbuf();
    return s.str();
}

/// The sentence of the error that `f` throws, or "no error".
template <class F>
std::string error_of(F&& f) {
    try {
        std::forward<F>(f)();
    } catch (const inlay::Error& e) {
        return e.what();
    }
    return "no error";
}

/// A safetensors file in memory: length, header, data.
inline std::string safetensors(std::string_view header, std::string_view data = "") {
    std::string s;
    for (int i = 0; i < 8; ++i) s += static_cast<char>(header.size() >> (8 * i));
    return s.append(header).append(data);
}

/// tests/golden
inline fs::path golden() { return fs::path(inlay_test::tests_folder()) / "golden"; }

}  // namespace test
