// SPDX-License-Identifier: Apache-2.0
/// A file that is written whole or not at all: bytes go to a temporary neighbour, which takes the name at the end. A
/// link stays one, and the file it points to is replaced; devices and FIFOs have no such neighbour and are written to.
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
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// The name behind links, whether or not a file has it.
inline std::filesystem::path behind_links(std::filesystem::path path) {
    constexpr int most = 40;  // as many as the kernel follows
    std::error_code error;
    for (int i = 0; i < most; ++i) {
        if (!std::filesystem::is_symlink(path, error)) return path;
        path = path.parent_path() / std::filesystem::read_symlink(path, error);  // an absolute target stands alone
    }
    return path;
}

}  // namespace detail

/// Until `commit` the name `path` is untouched; without it the temporary file is removed.
class AtomicFile {
public:
    /// Throws when a file cannot be created in the folder of `path`, or `path` is a folder itself, or a device or FIFO
    /// that does not take data. A FIFO without a reader is waited for by the first `write`.
    explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)), target_(detail::behind_links(path_)) {
        static std::atomic<unsigned> serial{0};
        struct stat status{};
        const bool exists = ::stat(path_.c_str(), &status) == 0;
        if (!exists && errno == ELOOP) failed(errno);
        if (exists && S_ISDIR(status.st_mode)) fail("cannot write " + quote(path_) + ": it is a folder");
        if (exists && S_ISSOCK(status.st_mode)) fail("cannot write " + quote(path_) + ": it is a socket");
        stream_ = exists && !S_ISREG(status.st_mode);
        if (stream_) {
            if (::access(path_.c_str(), W_OK) != 0) failed(errno);
            return;
        }
        temporary_ = target_;
        temporary_ += ".part." + std::to_string(::getpid()) + "." + std::to_string(serial++);
        file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file_ < 0) failed(errno);
    }
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile() {
        if (file_ >= 0) {
            ::close(file_);
            if (!stream_) ::unlink(temporary_.c_str());
        }
    }

    void write(const void* data, std::size_t bytes) {
        if (stream_ && file_ < 0) {
            file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
            if (file_ < 0) failed(errno);
        }
        const char* p = static_cast<const char*>(data);
        while (bytes > 0) {
            const ::ssize_t n = ::write(file_, p, bytes);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) failed(n < 0 ? errno : ENOSPC);
            p += n;
            bytes -= static_cast<std::size_t>(n);
        }
    }
    void write(std::string_view text) { write(text.data(), text.size()); }

    /// Brings the bytes to the disk, then gives the file its name, replacing what had it.
    void commit() {
        if (stream_) {
            if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) failed(errno);
            return;
        }
        if (::fsync(file_) != 0 || ::rename(temporary_.c_str(), target_.c_str()) != 0) failed(errno);
        ::close(file_);
        file_ = -1;
        // The name is on the disk once its folder is; a file system that cannot do this has nothing better to offer.
        const auto folder = target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
        const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory >= 0) {
            ::fsync(directory);
            ::close(directory);
        }
    }

private:
    [[noreturn]] void failed(int error) const { fail("cannot write " + quote(path_) + ": " + std::strerror(error)); }

    std::filesystem::path path_, target_, temporary_;
    int file_ = -1;
    bool stream_ = false;  ///< a device or FIFO
};

/// A device or FIFO, to which bytes are written as they come: it holds one file, and has no neighbours.
inline bool is_stream(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::exists(path, error) && std::filesystem::is_other(path, error);
}

/// Throws now what writing `path` would throw later, before minutes of work. Leaves nothing behind.
inline void require_writable(const std::filesystem::path& path) {
    AtomicFile probe(path);
}

inline void write_file(const std::filesystem::path& path, std::string_view text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace inlay::inline INLAY_ABI::io
