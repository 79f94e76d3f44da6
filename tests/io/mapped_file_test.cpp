// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/mapped_file.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace {

using inlay::io::MappedFile;

TEST(MappedFile, HoldsTheBytesOfTheFile) {
    const test::Folder folder;
    const std::string text("a\0b\nc", 5);
    test::put(folder / "x", text);
    MappedFile file(folder / "x");
    EXPECT_EQ(file.text(), text);
    EXPECT_EQ(file.bytes().size(), 5u);

    test::fs::remove(folder / "x");
    EXPECT_EQ(file.text(), text) << "the mapping outlives the name";

    MappedFile moved(std::move(file));
    EXPECT_EQ(moved.text(), text);
    EXPECT_TRUE(file.text().empty());
}

TEST(MappedFile, EmptyFileHasNoBytes) {
    const test::Folder folder;
    test::put(folder / "x", "");
    EXPECT_TRUE(MappedFile(folder / "x").bytes().empty());
}

TEST(MappedFile, ErrorsNameThePath) {
    const test::Folder folder;
    const auto path = folder / "none";
    EXPECT_EQ(test::error_of([&] { MappedFile file(path); }),
              "inlay: cannot open '" + path.string() + "': No such file or directory");
    EXPECT_EQ(test::error_of([&] { MappedFile file(folder.path()); }),
              "inlay: cannot read '" + folder.path().string() + "': it is not a regular file");
    const auto fifo = folder / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(test::error_of([&] { MappedFile file(fifo); }),
              "inlay: cannot read '" + fifo.string() + "': it is not a regular file");
}

}  // namespace
