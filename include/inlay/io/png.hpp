// SPDX-License-Identifier: Apache-2.0
/// PNG files of 8-bit RGB with text chunks, through libpng. Written whole or not at all.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/io/atomic_file.hpp>
#include <inlay/io/mapped_file.hpp>
#include <inlay/io/text.hpp>
#include <inlay/io/tokenizer/unicode.hpp>

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

/// Rows from the top, three bytes a pixel.
struct Image {
    index_t width = 0, height = 0;
    std::vector<std::uint8_t> rgb;
};

/// Text chunks by keyword. The picture's parameters stand under "parameters".
using PngText = std::map<std::string, std::string>;

struct PngFile {
    Image image;
    PngText text;
};

namespace detail {

/// The greatest side that is read: decoded, such a picture takes 768 MiB.
inline constexpr png_uint_32 png_side_limit = 16384;

/// libpng reports errors by longjmp, which must not skip destructors. So the functions that call it hold nothing that
/// has one: all their state lives here, in their callers' frame.
struct PngState {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::vector<std::byte> out;
    std::span<const std::byte> in;
    std::vector<png_bytep> rows;
    Image image;
    PngText text;
    std::vector<png_text> chunks;
    char error[160] = "libpng is out of memory";
};

[[noreturn]] inline void png_failed(png_structp png, png_const_charp message) {
    auto* state = static_cast<PngState*>(png_get_error_ptr(png));
    std::strncpy(state->error, message, sizeof state->error - 1);
    png_longjmp(png, 1);
}
inline void png_warned(png_structp, png_const_charp) {}

inline void png_put(png_structp png, png_bytep data, std::size_t bytes) {
    auto& out = static_cast<PngState*>(png_get_io_ptr(png))->out;
    const auto* p = reinterpret_cast<const std::byte*>(data);
    out.insert(out.end(), p, p + bytes);
}
inline void png_take(png_structp png, png_bytep data, std::size_t bytes) {
    auto& in = static_cast<PngState*>(png_get_io_ptr(png))->in;
    if (bytes > in.size()) png_error(png, "the file ends too early");
    std::memcpy(data, in.data(), bytes);
    in = in.subspan(bytes);
}

inline bool png_write(PngState& s) {
    if (setjmp(png_jmpbuf(s.png))) return false;
    png_set_write_fn(s.png, &s, png_put, nullptr);
    png_set_IHDR(s.png, s.info, static_cast<png_uint_32>(s.image.width), static_cast<png_uint_32>(s.image.height), 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_text(s.png, s.info, s.chunks.data(), static_cast<int>(s.chunks.size()));
    png_set_rows(s.png, s.info, s.rows.data());
    png_write_png(s.png, s.info, PNG_TRANSFORM_IDENTITY, nullptr);
    return true;
}

/// Reads up to the image data, whose form it sets to 8-bit RGB.
inline bool png_read_header(PngState& s) {
    if (setjmp(png_jmpbuf(s.png))) return false;
    png_set_user_limits(s.png, png_side_limit, png_side_limit);
    png_set_read_fn(s.png, &s, png_take);
    png_read_info(s.png, s.info);
    png_set_expand(s.png);
    png_set_scale_16(s.png);
    png_set_gray_to_rgb(s.png);
    png_set_strip_alpha(s.png);
    png_set_interlace_handling(s.png);
    png_read_update_info(s.png, s.info);
    return true;
}
inline bool png_read_rest(PngState& s) {
    if (setjmp(png_jmpbuf(s.png))) return false;
    png_read_image(s.png, s.rows.data());
    png_read_end(s.png, s.info);
    return true;
}

inline void point_rows(PngState& s) {
    const std::size_t pitch = static_cast<std::size_t>(s.image.width) * 3;
    for (index_t y = 0; y < s.image.height; ++y)
        s.rows.push_back(s.image.rgb.data() + static_cast<std::size_t>(y) * pitch);
}

}  // namespace detail

/// The bytes of a PNG. ASCII text makes a tEXt chunk, which every program reads; other text an iTXt chunk, which is
/// UTF-8: what of it is none becomes U+FFFD.
/// Throws when the image's bytes are not width · height · 3, or a keyword is none.
inline std::vector<std::byte> encode_png(const Image& image, const PngText& text = {}) {
    require(
        image.width > 0 && image.height > 0 && image.width <= PNG_UINT_31_MAX / 3 && image.height <= PNG_UINT_31_MAX &&
            image.rgb.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3,
        "cannot write a PNG of ", image.width, " x ", image.height, " pixels from ", image.rgb.size(), " bytes of RGB");
    detail::PngState s;
    s.image = image;
    s.text = text;
    detail::point_rows(s);
    for (auto& [key, value] : s.text) {
        const bool ascii = std::ranges::all_of(value, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
        require(!key.empty() && key.size() < 80 && value.find('\0') == std::string::npos, "cannot write the PNG text ",
                quote(key), ": a keyword has 1 to 79 bytes, and the text no zero byte");
        if (!ascii) value = unicode::repaired(value);
        png_text chunk{};
        chunk.compression = ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
        chunk.key = const_cast<char*>(key.c_str());  // libpng only reads them
        chunk.text = value.data();
        (ascii ? chunk.text_length : chunk.itxt_length) = value.size();
        s.chunks.push_back(chunk);
    }
    s.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &s, detail::png_failed, detail::png_warned);
    if (s.png) s.info = png_create_info_struct(s.png);
    const bool ok = s.info && detail::png_write(s);
    png_destroy_write_struct(&s.png, &s.info);
    require(ok, "cannot encode the PNG: ", static_cast<const char*>(s.error));
    return std::move(s.out);
}

/// Writes the file whole or not at all. Throws when the folder does not take it.
inline void write_png(const std::filesystem::path& path, const Image& image, const PngText& text = {}) {
    const std::vector<std::byte> bytes = encode_png(image, text);
    AtomicFile file(path);
    file.write(bytes.data(), bytes.size());
    file.commit();
}

/// Any PNG up to 16384 pixels a side as RGB: gray and palettes expanded, 16 bits scaled to 8, alpha left out.
inline PngFile decode_png(std::span<const std::byte> bytes, const std::string& source = "the PNG") {
    detail::PngState s;
    s.in = bytes;
    s.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, detail::png_failed, detail::png_warned);
    if (s.png) s.info = png_create_info_struct(s.png);
    struct Cleanup {
        detail::PngState& s;
        ~Cleanup() { png_destroy_read_struct(&s.png, &s.info, nullptr); }
    } cleanup{s};
    const auto check = [&](bool ok) { require(ok, "cannot read ", source, ": ", static_cast<const char*>(s.error)); };
    check(s.info && detail::png_read_header(s));
    s.image.width = png_get_image_width(s.png, s.info);
    s.image.height = png_get_image_height(s.png, s.info);
    const std::size_t pitch = png_get_rowbytes(s.png, s.info);
    require(pitch == static_cast<std::size_t>(s.image.width) * 3, "cannot read ", source, ": ", pitch,
            " bytes a row are no RGB");
    s.image.rgb.resize(pitch * static_cast<std::size_t>(s.image.height));
    detail::point_rows(s);
    check(detail::png_read_rest(s));
    png_textp chunks = nullptr;
    const int n = png_get_text(s.png, s.info, &chunks, nullptr);
    for (int i = 0; i < n; ++i)
        s.text[chunks[i].key] = std::string(
            chunks[i].text, chunks[i].compression > 0 ? chunks[i].itxt_length : chunks[i].text_length);
    return {std::move(s.image), std::move(s.text)};
}

/// Throws when the file cannot be read or is no PNG.
inline PngFile read_png(const std::filesystem::path& path) {
    const MappedFile file(path);
    return decode_png(file.bytes(), quote(path));
}

}  // namespace inlay::inline INLAY_ABI::io
