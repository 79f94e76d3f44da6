// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string>

namespace program {

/// An exception as the one sentence that a program prints.
inline std::string sentence_of(const std::exception& e) {
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&e))
        return "inlay: cannot use '" + file->path1().string() + "': " + file->code().message();
    if (dynamic_cast<const std::bad_alloc*>(&e)) return "inlay: out of memory";
    return e.what();
}
/// The exit status of a program that ends by it: 2 where it begins with an option.
inline int status_of(const std::string& sentence) { return sentence.starts_with("inlay: --") ? 2 : 1; }

}  // namespace program
