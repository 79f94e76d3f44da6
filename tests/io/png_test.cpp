// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/png.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace inlay::io;

Image gradient(std::int64_t width, std::int64_t height) {
    Image image{width, height, {}};
    for (std::int64_t i = 0; i < width * height * 3; ++i)
        image.rgb.push_back(static_cast<std::uint8_t>(i * 31 % 251));
    return image;
}

struct Chunk {
    std::string type, data;
    bool operator==(const Chunk&) const = default;
};
std::uint32_t number(std::string_view s) {
    std::uint32_t n = 0;
    for (int i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(s[static_cast<std::size_t>(i)]);
    return n;
}
std::string bytes(std::uint32_t n) {
    std::string s;
    for (int i = 3; i >= 0; --i) s += static_cast<char>(n >> (8 * i));
    return s;
}
/// Chunks by the PNG specification's layout (length, type, data, CRC-32), independent of libpng.
std::vector<Chunk> chunks(std::string_view file) {
    EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
    std::vector<Chunk> out;
    for (file.remove_prefix(8); file.size() >= 12;) {
        const std::uint32_t n = number(file);
        out.push_back({std::string(file.substr(4, 4)), std::string(file.substr(8, n))});
        EXPECT_EQ(number(file.substr(8 + n)), crc32(0, reinterpret_cast<const Bytef*>(file.data()) + 4, n + 4));
        file.remove_prefix(12 + n);
    }
    EXPECT_TRUE(file.empty());
    return out;
}
std::string png_of(const std::vector<Chunk>& list) {
    std::string out = "\x89PNG\r\n\x1a\n";
    for (const auto& [type, data] : list) {
        const std::string body = type + data;
        out += bytes(static_cast<std::uint32_t>(data.size())) + body +
               bytes(static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                      static_cast<uInt>(body.size()))));
    }
    return out;
}
std::string deflated(const std::string& raw) {
    uLongf n = compressBound(raw.size());
    std::string out(n, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &n, reinterpret_cast<const Bytef*>(raw.data()), raw.size());
    return out.substr(0, n);
}
PngFile decode(const std::string& file) { return decode_png(std::as_bytes(std::span(file))); }
std::string encode(const Image& image, const PngText& text = {}) {
    const auto png = encode_png(image, text);
    return {reinterpret_cast<const char*>(png.data()), png.size()};
}

TEST(Png, WhatIsWrittenReadsBackTheSame) {
    const test::Folder folder;
    for (const auto& [w, h] : {std::pair(1, 1), std::pair(7, 3), std::pair(64, 96)}) {
        const Image image = gradient(w, h);
        write_png(folder / "x.png", image, {{"parameters", "a cat\nSteps: 20"}});
        const PngFile file = read_png(folder / "x.png");
        EXPECT_EQ(file.image.width, w);
        EXPECT_EQ(file.image.height, h);
        EXPECT_EQ(file.image.rgb, image.rgb);
        EXPECT_EQ(file.text, (PngText{{"parameters", "a cat\nSteps: 20"}}));
    }
    EXPECT_EQ(folder.entries(), 1);
}

TEST(Png, HasTheChunksOfTheSpecification) {
    const auto list = chunks(encode(gradient(2, 1), {{"parameters", "a cat"}, {"title", "夕日"}}));
    ASSERT_EQ(list.size(), 5u);
    EXPECT_EQ(list[0], (Chunk{"IHDR", bytes(2) + bytes(1) + std::string("\x08\x02\0\0\0", 5)}));
    EXPECT_EQ(list[1], (Chunk{"tEXt", std::string("parameters\0a cat", 16)}));
    // keyword, 0, not compressed, method 0, no language, no translated keyword, text
    EXPECT_EQ(list[2], (Chunk{"iTXt", std::string("title\0\0\0\0\0", 10) + "夕日"}));
    const Chunk repaired{"iTXt", std::string("title\0\0\0\0\0", 10) + "caf\xef\xbf\xbd"};
    EXPECT_EQ(chunks(encode(gradient(1, 1), {{"title", "caf\xe9"}}))[1], repaired);
    EXPECT_EQ(list[3].type, "IDAT");
    EXPECT_EQ(list[4], (Chunk{"IEND", ""}));
}

TEST(Png, TextComesBackInAnyScript) {
    for (const std::string text : {"", "plain", "Ein Café, 夕日 🌅", "two\nlines"}) {
        const PngFile file = decode(encode(gradient(1, 1), {{"parameters", text}}));
        EXPECT_EQ(file.text.at("parameters"), text);
    }
    const std::string long_text(100000, 'x');
    EXPECT_EQ(decode(encode(gradient(1, 1), {{"parameters", long_text}})).text.at("parameters"), long_text);
}

/// Files made by hand from the specification: one row of 2 pixels each.
TEST(Png, OtherFormsAreReadAsRgb) {
    const auto file = [](char depth, char colour, const std::string& row, const std::vector<Chunk>& extra = {}) {
        std::vector<Chunk> list{{"IHDR", bytes(2) + bytes(1) + depth + colour + std::string(3, '\0')}};
        list.insert(list.end(), extra.begin(), extra.end());
        list.push_back({"IDAT", deflated(std::string(1, '\0') + row)});
        list.push_back({"IEND", ""});
        return decode(png_of(list)).image.rgb;
    };
    using Rgb = std::vector<std::uint8_t>;
    EXPECT_EQ(file(8, 0, "\x10\xff"), (Rgb{16, 16, 16, 255, 255, 255})) << "gray";
    EXPECT_EQ(file(1, 0, "\x40"), (Rgb{0, 0, 0, 255, 255, 255})) << "one bit";
    EXPECT_EQ(file(16, 0, std::string("\x10\x10\xff\xff", 4)), (Rgb{16, 16, 16, 255, 255, 255})) << "16 bits";
    EXPECT_EQ(file(8, 3, std::string("\1\0", 2), {{"PLTE", "abcdef"}}), (Rgb{'d', 'e', 'f', 'a', 'b', 'c'}))
        << "palette";
    EXPECT_EQ(file(8, 6, "abc\x01" "def\xff"), (Rgb{'a', 'b', 'c', 'd', 'e', 'f'})) << "alpha";
    EXPECT_EQ(file(8, 2, "abcdef", {{"tRNS", std::string("\0a\0b\0c", 6)}}), (Rgb{'a', 'b', 'c', 'd', 'e', 'f'}));
}

TEST(Png, BadFilesAreOneError) {
    const std::string good = encode(gradient(16, 16));
    EXPECT_EQ(test::error_of([] { decode("no PNG at all"); }), "inlay: cannot read the PNG: Not a PNG file");
    EXPECT_EQ(test::error_of([] { decode(""); }), "inlay: cannot read the PNG: the file ends too early");
    for (std::size_t n = 0; n < good.size(); ++n)
        EXPECT_NE(test::error_of([&] { decode(good.substr(0, n)); }), "no error") << n;
    std::string damaged = good;
    damaged[good.size() / 2] ^= 1;
    EXPECT_NE(test::error_of([&] { decode(damaged); }), "no error");
    const std::string huge = png_of({{"IHDR", bytes(1 << 30) + bytes(1 << 30) + std::string("\x08\x02\0\0\0", 5)}});
    EXPECT_NE(test::error_of([&] { decode(huge); }).find("cannot read the PNG"), std::string::npos);
    const test::Folder folder;
    test::put(folder / "x.png", "text");
    EXPECT_EQ(test::error_of([&] { read_png(folder / "x.png"); }),
              "inlay: cannot read '" + (folder / "x.png").string() + "': the file ends too early");
}

TEST(Png, ImpossibleImagesAndTextsAreRefused) {
    EXPECT_EQ(test::error_of([] { encode({2, 2, std::vector<std::uint8_t>(11)}); }),
              "inlay: cannot write a PNG of 2 x 2 pixels from 11 bytes of RGB");
    EXPECT_EQ(test::error_of([] {
                  encode({0, 5, {}});
              }),
              "inlay: cannot write a PNG of 0 x 5 pixels from 0 bytes of RGB");
    EXPECT_NE(test::error_of([] { encode(gradient(1, 1), {{"", "x"}}); }), "no error");
    EXPECT_NE(test::error_of([] { encode(gradient(1, 1), {{std::string(80, 'k'), "x"}}); }), "no error");
    EXPECT_NE(test::error_of([] { encode(gradient(1, 1), {{"k", std::string("a\0b", 3)}}); }), "no error");
}

TEST(Png, UnwritableFolderIsOneErrorAndLeavesNothing) {
    const test::Folder folder;
    const auto path = folder / "no" / "x.png";
    EXPECT_EQ(test::error_of([&] { write_png(path, gradient(2, 2)); }),
              "inlay: cannot write '" + path.string() + "': No such file or directory");
    EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
