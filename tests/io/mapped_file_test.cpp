// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/mapped_file.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>

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
}

}  // namespace
