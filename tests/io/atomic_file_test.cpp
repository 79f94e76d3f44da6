// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/atomic_file.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <thread>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace {

using inlay::io::AtomicFile;

TEST(AtomicFile, TakesItsNameOnlyInCommit) {
    const test::Folder folder;
    test::put(folder / "x", "before");
    {
        AtomicFile file(folder / "x");
        file.write("after");
        EXPECT_EQ(test::get(folder / "x"), "before");
        file.commit();
    }
    EXPECT_EQ(test::get(folder / "x"), "after");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
    const test::Folder folder;
    { AtomicFile(folder / "x").write("half"); }
    EXPECT_EQ(folder.entries(), 0);
}

TEST(AtomicFile, ErrorsNameThePath) {
    const test::Folder folder;
    const auto missing = folder / "no" / "x";
    EXPECT_EQ(test::error_of([&] { AtomicFile file(missing); }),
              "inlay: cannot write '" + missing.string() + "': No such file or directory");
    EXPECT_EQ(test::error_of([&] { AtomicFile file(folder.path()); }),
              "inlay: cannot write '" + folder.path().string() + "': it is a folder");
    test::put(folder / "file", "");
    const auto below = folder / "file" / "x";
    EXPECT_EQ(test::error_of([&] { inlay::io::require_writable(below); }),
              "inlay: cannot write '" + below.string() + "': Not a directory");
    inlay::io::require_writable(folder / "y");
    EXPECT_EQ(folder.entries(), 1) << "asking leaves nothing";
}

TEST(AtomicFile, ReplacesWhatALinkPointsTo) {
    const test::Folder folder;
    test::put(folder / "real" / "x", "before");
    test::fs::create_symlink("real/x", folder / "one");
    test::fs::create_symlink(folder / "one", folder / "two");
    inlay::io::write_file(folder / "two", "after");
    EXPECT_EQ(test::get(folder / "real" / "x"), "after");
    EXPECT_TRUE(test::fs::is_symlink(folder / "one") && test::fs::is_symlink(folder / "two"));
    test::fs::create_symlink("real/new", folder / "dangling");
    inlay::io::write_file(folder / "dangling", "made");
    EXPECT_EQ(test::get(folder / "real" / "new"), "made");
    EXPECT_TRUE(test::fs::is_symlink(folder / "dangling"));
    EXPECT_EQ(folder.entries(), 6);

    test::fs::create_symlink("round", folder / "round");
    EXPECT_EQ(test::error_of([&] { inlay::io::write_file(folder / "round", ""); }),
              "inlay: cannot write '" + (folder / "round").string() + "': Too many levels of symbolic links");
}

TEST(AtomicFile, WritesToDevicesAndFifos) {
    const test::Folder folder;
    const auto fifo = folder / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    inlay::io::require_writable(fifo);  // and waits for no reader
    std::string read;
    std::thread reader([&] { read = test::get(fifo); });
    inlay::io::write_file(fifo, "through");
    reader.join();
    EXPECT_EQ(read, "through");
    EXPECT_TRUE(test::fs::is_fifo(fifo));
    EXPECT_TRUE(inlay::io::is_stream(fifo));
    EXPECT_EQ(folder.entries(), 1);

    test::fs::create_symlink("/dev/null", folder / "null");
    inlay::io::write_file(folder / "null", "gone");
    EXPECT_TRUE(test::fs::is_character_file("/dev/null"));
    EXPECT_TRUE(inlay::io::is_stream(folder / "null"));
    EXPECT_FALSE(inlay::io::is_stream(folder / "absent"));
    if (test::fs::exists("/dev/full")) {
        EXPECT_EQ(test::error_of([&] { inlay::io::write_file("/dev/full", "more"); }),
                  "inlay: cannot write '/dev/full': No space left on device");
    }

    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    (folder / "socket").string().copy(name.sun_path, sizeof name.sun_path - 1);
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(s, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(test::error_of([&] { inlay::io::require_writable(folder / "socket"); }),
              "inlay: cannot write '" + (folder / "socket").string() + "': it is a socket");
    close(s);
}

/// A limit on the size of files stands in for a full disk: write fails in the middle.
TEST(AtomicFile, WriteThatFailsInTheMiddleLeavesNothing) {
    const test::Folder folder;
    test::put(folder / "x", "before");
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{64 << 10, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string error = test::error_of([&] { inlay::io::write_file(folder / "x", std::string(128 << 10, 'x')); });
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(error, "inlay: cannot write '" + (folder / "x").string() + "': File too large");
    EXPECT_EQ(test::get(folder / "x"), "before");
    EXPECT_EQ(folder.entries(), 1);
}

}  // namespace
