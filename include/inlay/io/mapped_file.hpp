// SPDX-License-Identifier: Apache-2.0
/// A file mapped into memory, read-only. Pages are read when they are touched, so opening costs nothing.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/io/text.hpp>
#include <inlay/io/weights/stand_in.hpp>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inlay::inline INLAY_ABI::io {

/// The bytes stay valid for the life of the object, also after the file is renamed or removed. Cutting the file shorter
/// while it is mapped is the one thing that cannot be guarded against: touching the lost pages raises SIGBUS.
class MappedFile {
public:
    /// Throws when `path` does not exist, cannot be read, is not a regular file or is a stand-in that a download left.
    /// An empty file maps to no bytes.
    explicit MappedFile(const std::filesystem::path& path) {
        map(path);
        if (const std::string what = stand_in(text()); !what.empty()) {
            unmap();
            fail(quote(path) + " " + what);
        }
    }
    MappedFile(MappedFile&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    MappedFile& operator=(MappedFile&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    ~MappedFile() { unmap(); }

    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
    std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

private:
    void map(const std::filesystem::path& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // a FIFO is refused, not waited for
        if (file < 0) fail("cannot open " + quote(path) + ": " + std::strerror(errno));
        struct stat status{};
        if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
            ::close(file);
            fail("cannot read " + quote(path) + ": it is not a regular file");
        }
        size_ = static_cast<std::size_t>(status.st_size);
        if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        const int error = errno;
        ::close(file);
        if (data_ == MAP_FAILED) {
            data_ = nullptr;
            fail("cannot map " + quote(path) + ": " + std::strerror(error));
        }
    }
    void unmap() {
        if (data_) ::munmap(data_, size_);
    }

    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace inlay::inline INLAY_ABI::io
