// SPDX-License-Identifier: Apache-2.0
/// A file that is written whole or not at all: bytes go to a temporary neighbour, which takes the name at the end.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/io/text.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inlay::inline INLAY_ABI::io {

/// Until `commit` the name `path` is untouched; without it the temporary file is removed.
class AtomicFile {
public:
    /// Throws when a file cannot be created in the folder of `path`, or `path` is a folder itself.
    explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
        static std::atomic<unsigned> serial{0};
        struct stat status {};
        if (::stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
            fail("cannot write " + quote(path_) + ": it is a folder");
        temporary_ = path_;
        temporary_ += ".part." + std::to_string(::getpid()) + "." + std::to_string(serial++);
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file_ < 0) fail("cannot write " + quote(path_) + ": " + std::strerror(errno));
    }
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile() {
        if (file_ >= 0) {
            ::close(file_);
            ::unlink(temporary_.c_str());
        }
    }

    void write(const void* data, std::size_t bytes) {
        const char* p = static_cast<const char*>(data);
        while (bytes > 0) {
            const ::ssize_t n = ::write(file_, p, bytes);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail("cannot write " + quote(path_) + ": " + std::strerror(n < 0 ? errno : ENOSPC));
            p += n;
            bytes -= static_cast<std::size_t>(n);
        }
    }
    void write(std::string_view text) { write(text.data(), text.size()); }

    /// Brings the bytes to the disk, then gives the file its name, replacing what had it.
    void commit() {
        if (::fsync(file_) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0)
            fail("cannot write " + quote(path_) + ": " + std::strerror(errno));
        ::close(file_);
        file_ = -1;
        // The name is on the disk once its folder is; a file system that cannot do this has nothing better to offer.
        const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
        const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory >= 0) {
            ::fsync(directory);
            ::close(directory);
        }
    }

private:
    std::filesystem::path path_, temporary_;
    int file_ = -1;
};

/// Throws now what writing `path` would throw later: to be asked before minutes of work. Leaves nothing behind.
inline void require_writable(const std::filesystem::path& path) { AtomicFile probe(path); }

inline void write_file(const std::filesystem::path& path, std::string_view text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace inlay::inline INLAY_ABI::io
