// SPDX-License-Identifier: Apache-2.0
#include <emulator/hopper.hpp>

#include "engines.hpp"
#include <gpu/emulated/memory.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>
#include <vector>

namespace emulator {
namespace {

/// The fields of a map's 128 bytes.
struct Map {
    std::uint64_t data;
    std::uint32_t extents[5];
    std::uint64_t strides[4];       // bytes, of the axes after the first
    std::uint16_t box[5];           // of pixels: channels, and in box[1] how many
    std::int16_t lower[2], upper[2];
    std::uint8_t steps[5];
    std::uint8_t rank, element, swizzle, pixels, known;
};
static_assert(sizeof(Map) <= sizeof(CUtensorMap));
constexpr std::uint8_t known_map = 0x5a;

Map map_of(const CUtensorMap& m) {
    Map map;
    std::memcpy(&map, &m, sizeof map);
    if (map.known != known_map) fail("a copy by a map that nobody has made");
    return map;
}
std::uint32_t bytes_of_row(const Map& m) { return std::uint32_t(m.box[0]) * m.element; }
/// From one row of a box to the next: rows that a swizzle does not fill lie as far apart as ones that it does. An H200
/// leaves what is between.
std::uint32_t pitch_of(const Map& m) {
    constexpr std::uint32_t span[] = {0, 32, 64, 128};
    return std::max(bytes_of_row(m), span[m.swizzle]);
}

/// One row of a box: `channels` elements from c on, at the row's place; 0 where the tensor has none.
void copy_row(Block& block, const Map& m, const long (&c)[5], std::uint32_t to) {
    bool inside = true;
    for (int i = 1; i < 5; ++i) inside = inside && c[i] >= 0 && c[i] < long(m.extents[i]);
    const std::uint32_t bytes = bytes_of_row(m);
    std::vector<char> row(bytes, 0);
    if (inside) {
        const long first = std::max(c[0], 0l), last = std::min(c[0] + m.box[0], long(m.extents[0]));
        if (first < last) {
            const char* p = reinterpret_cast<const char*>(m.data) + first * m.element;
            for (int i = 1; i < 5; ++i) p += c[i] * long(m.strides[i - 1]);
            check_access(p, static_cast<std::size_t>((last - first) * m.element), 1, "a tensor copy");
            std::memcpy(row.data() + (first - c[0]) * m.element, p,
                        static_cast<std::size_t>((last - first) * m.element));
        }
    }
    for (std::uint32_t i = 0; i < bytes; i += 16)
        block.write_by_engine(swizzled(to + i, m.swizzle), row.data() + i, 16, 16, "a tensor copy");
}
void copy_whole_box(Block& block, const Map& m, const int (&at)[5], std::uint32_t to) {
    const int rows = m.box[1] * m.box[2] * m.box[3] * m.box[4];
    for (int row = 0; row < rows; ++row, to += pitch_of(m)) {
        long c[5] = {at[0]};
        for (int i = 1, left = row; i < 5; left /= m.box[i], ++i) c[i] = at[i] + long(left % m.box[i]) * m.steps[i];
        copy_row(block, m, c, to);
    }
}
void copy_column_of_pixels(Block& block, const Map& m, const int (&at)[5], int right, int down, std::uint32_t to) {
    long x = at[1], y = at[2], image = at[3];
    const long last_x = long(m.extents[1]) - 1 + m.upper[0], last_y = long(m.extents[2]) - 1 + m.upper[1];
    for (int i = 0; i < m.box[1]; ++i, to += pitch_of(m)) {
        copy_row(block, m, {at[0], x + right, y + down, image, 0}, to);
        if ((x += m.steps[1]) <= last_x) continue;
        x = m.lower[0];
        if ((y += m.steps[2]) <= last_y) continue;
        y = m.lower[1];
        ++image;
    }
}

}  // namespace

void copy_box(std::uint32_t to, const CUtensorMap& map, std::uint32_t bar, int rank, const int (&c)[5],
              const std::uint16_t* offsets) {
    const Map m = map_of(map);
    if (m.pixels != (offsets != nullptr)) fail("a copy of boxes by a map of pixels, or the other way round");
    if (rank != m.rank) fail("a tensor copy of ", rank, " axes by a map of ", static_cast<int>(m.rank));
    if (to % 128) fail("a tensor copy to shared address ", to, ": not a multiple of 128");
    const std::uint32_t rows = std::uint32_t(m.box[1]) * m.box[2] * m.box[3] * m.box[4],
                        bytes = rows * bytes_of_row(m);
    if (m.pixels)
        for (int i = 0; i < 2; ++i)
            if (c[1 + i] < m.lower[i] || c[1 + i] > long(m.extents[1 + i]) - 1 + m.upper[i])
                fail("a copy of pixels begins at ", c[1 + i], ", outside of its map's box");
    Block& block = *running_block;
    if (!block.running().constants) block.check_order("a tensor copy");
    for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t i = 0; i < bytes_of_row(m); i += 16)
            block.write_by_engine(swizzled(to + row * pitch_of(m) + i, m.swizzle), nullptr, 16, 16, "a tensor copy");
    const int right = offsets ? offsets[0] : 0, down = offsets ? offsets[1] : 0;
    begin_copy(block, bar, bytes, [&block, m, to, right, down, at = std::to_array(c)] {
        const int where[5] = {at[0], at[1], at[2], at[3], at[4]};
        if (m.pixels) copy_column_of_pixels(block, m, where, right, down, to);
        else copy_whole_box(block, m, where, to);
    });
}
void copy_span(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t bar) {
    if (bytes == 0 || bytes % 16) fail("a bulk copy of ", bytes, " bytes: not a multiple of 16");
    check_global(from, bytes, 16, "a bulk copy");
    Block& block = *running_block;
    block.write_by_engine(to, nullptr, bytes, 16, "a bulk copy");
    begin_copy(block, bar, bytes,
               [&block, to, from, bytes] { block.write_by_engine(to, from, bytes, 16, "a bulk copy"); });
}
void copy_to_block(std::uint32_t to, std::uint32_t from, std::uint32_t bytes, std::uint32_t bar, std::uint32_t rank) {
    Block &here = *running_block, &there = here.peer(static_cast<int>(rank));
    if (bytes == 0 || bytes % 16) fail("a bulk copy of ", bytes, " bytes: not a multiple of 16");
    const void* const p = here.read_by_engine(from, bytes, 16, "a bulk copy");
    there.write_by_engine(to, nullptr, bytes, 16, "a bulk copy");
    begin_copy(there, bar, bytes, [&there, p, to, bytes] { there.write_by_engine(to, p, bytes, 16, "a bulk copy"); });
}
void send_to_block(std::uint32_t to, const void* words, std::uint32_t bytes, std::uint32_t bar, std::uint32_t rank) {
    Block& there = running_block->peer(static_cast<int>(rank));
    const int n = static_cast<int>(bytes);
    there.write_by_engine(to, nullptr, bytes, n, "st.async");
    std::array<char, 16> kept{};
    std::memcpy(kept.data(), words, bytes);
    begin_copy(there, bar, bytes,
               [&there, to, kept, bytes, n] { there.write_by_engine(to, kept.data(), bytes, n, "st.async"); });
}

namespace {
std::atomic<long> encoded{0};
}  // namespace
long encoded_maps() { return encoded; }

}  // namespace emulator

namespace {

CUresult encode(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* data, const cuuint64_t* extents,
                const cuuint64_t* strides, const cuuint32_t* steps, CUtensorMapSwizzle swizzle, emulator::Map m) {
    ++emulator::encoded;
    m.data = reinterpret_cast<std::uint64_t>(data);
    m.element = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 ? 4 : 2;
    m.swizzle = static_cast<std::uint8_t>(swizzle);
    m.known = emulator::known_map;
    m.rank = static_cast<std::uint8_t>(rank);
    m.extents[4] = m.steps[4] = 1;
    bool ok = (rank == 4 || (rank == 5 && !m.pixels)) && m.data % 16 == 0 &&
              reinterpret_cast<std::uint64_t>(to) % 64 == 0;
    for (int i = 0; i < static_cast<int>(rank) && ok; ++i) {
        ok = extents[i] >= 1 && extents[i] < std::uint64_t(1) << 32 && m.box[i] >= 1 && m.box[i] <= 256 &&
             steps[i] >= 1 && steps[i] <= 8;
        if (i > 0) ok = ok && strides[i - 1] % 16 == 0 && strides[i - 1] < std::uint64_t(1) << 40 && strides[i - 1] > 0;
        m.extents[i] = static_cast<std::uint32_t>(extents[i]);
        m.steps[i] = static_cast<std::uint8_t>(steps[i]);
        if (i > 0) m.strides[i - 1] = strides[i - 1];
    }
    const int inner = m.box[0] * m.element, span[] = {1 << 20, 32, 64, 128};
    ok = ok && inner % 16 == 0 && inner <= span[swizzle];
    if (!ok) return CUDA_ERROR_INVALID_VALUE;
    *to = {};
    std::memcpy(to, &m, sizeof m);
    return CUDA_SUCCESS;
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* data,
                                const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    emulator::Map m{};
    for (cuuint32_t i = 0; i < 5; ++i) m.box[i] = i < rank ? static_cast<std::uint16_t>(std::min(box[i], 1000u)) : 1;
    return encode(to, type, rank, data, extents, strides, steps, swizzle, m);
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* data,
                                 const cuuint64_t* extents, const cuuint64_t* strides, const int* lower,
                                 const int* upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
                                 CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill) {
    emulator::Map m{};
    m.pixels = 1;
    m.box[0] = static_cast<std::uint16_t>(std::min(channels, 1000u));
    m.box[1] = static_cast<std::uint16_t>(std::min(pixels, 1000u));
    m.box[2] = m.box[3] = m.box[4] = 1;
    for (int i = 0; i < 2; ++i) {
        if (lower[i] < -128 || lower[i] > 127 || upper[i] < -128 || upper[i] > 127) return CUDA_ERROR_INVALID_VALUE;
        m.lower[i] = static_cast<std::int16_t>(lower[i]);
        m.upper[i] = static_cast<std::int16_t>(upper[i]);
    }
    return encode(to, type, rank, data, extents, strides, steps, swizzle, m);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
    const std::string_view n = name;
    *function = n == "cuTensorMapEncodeTiled"    ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled)
                : n == "cuTensorMapEncodeIm2col" ? reinterpret_cast<void*>(&cuTensorMapEncodeIm2col)
                                                 : nullptr;
    if (found) *found = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
