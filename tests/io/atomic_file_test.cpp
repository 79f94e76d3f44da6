// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/atomic_file.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include <sys/resource.h>

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
    { AtomicFile(folder / "x").write("fp16"); }
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

/// A limit on the size of files stands in for a full disk: write fails in the middle.
TEST(AtomicFile, WriteThatFailsInTheMiddleLeavesNothing) {
    const test::Folder folder;
    test::put(folder / "x", "before");
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{64 << 10, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string error =
        test::error_of([&] { inlay::io::write_file(folder / "x", std::string(128 << 10, 'x')); });
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(error, "inlay: cannot write '" + (folder / "x").string() + "': File too large");
    EXPECT_EQ(test::get(folder / "x"), "before");
    EXPECT_EQ(folder.entries(), 1);
}

}  // namespace
