// SPDX-License-Identifier: Apache-2.0
#include <emulator/hopper.hpp>

#include "block.hpp"
#include "memory.hpp"

#include <emulator/matrices.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace emulator {
namespace {

// Barriers: 8 bytes of shared memory.

struct Bits {
    std::int32_t bytes;             // announced and not there
    std::uint16_t pending;          // arrivals of the phase
    std::uint16_t expected;         // and of every phase; the highest bit is the phase's parity
};
static_assert(sizeof(Bits) == 8);
constexpr std::uint16_t parity_bit = 0x8000;

Bits* bits_of(Block& block, std::uint32_t bar, const char* what) {
    auto* const b = static_cast<Bits*>(block.place(bar, 8, 8, what));
    if (b->pending == 0xffff) fail(what, ": there is no barrier at shared address ", bar);
    return b;
}
void complete(Bits* b) {
    if (b->pending > 0 || b->bytes != 0) return;
    b->expected ^= parity_bit;
    b->pending = b->expected & static_cast<std::uint16_t>(~parity_bit);
    progress();
}
/// One of the copies that the barrier counts, not always the first, arrives. False if there is none.
bool let_one_arrive(Block& block, std::uint32_t bar) {
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < block.coming.size(); ++i)
        if (block.coming[i].barrier == bar) mine.push_back(i);
    if (mine.empty()) return false;
    const auto i = static_cast<std::ptrdiff_t>(mine[block.grid().draw.below(static_cast<unsigned>(mine.size()))]);
    const BulkCopy copy = std::move(block.coming[static_cast<std::size_t>(i)]);
    block.coming.erase(block.coming.begin() + i);
    copy.happen();
    Bits* const b = bits_of(block, bar, "complete_tx");
    b->bytes -= static_cast<std::int32_t>(copy.bytes);
    complete(b);
    return true;
}
/// A copy that begins. It may arrive at once.
void begin_copy(Block& to, std::uint32_t bar, std::uint32_t bytes, std::function<void()> happen) {
    bits_of(to, bar, "a copy's barrier");
    to.coming.push_back({bar, bytes, std::move(happen)});
    if (to.grid().draw.below(8) == 0) let_one_arrive(to, bar);
    progress();
}

// Maps of tensors.

/// What a map's 128 bytes say.
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
/// Where the engine puts a byte that lies at an address without swizzle.
std::uint32_t swizzled(std::uint32_t address, int swizzle) {
    if (swizzle == CU_TENSOR_MAP_SWIZZLE_128B) return address ^ (address >> 7 & 7u) << 4;
    if (swizzle == CU_TENSOR_MAP_SWIZZLE_64B) return address ^ (address >> 7 & 3u) << 4;
    if (swizzle == CU_TENSOR_MAP_SWIZZLE_32B) return address ^ (address >> 7 & 1u) << 4;
    return address;
}

/// One row of a box: `channels` elements from c on, at the row's place; 0 where the tensor has none.
void copy_row(Block& block, const Map& m, const long (&c)[5], std::uint32_t to) {
    bool inside = true;
    for (int i = 1; i < 5; ++i) inside = inside && c[i] >= 0 && c[i] < long(m.extents[i]);
    const std::uint32_t bytes = std::uint32_t(m.box[0]) * m.element;
    std::vector<char> row(bytes, 0);
    if (inside) {
        const long first = std::max(c[0], 0l), last = std::min(c[0] + m.box[0], long(m.extents[0]));
        if (first < last) {
            const char* p = reinterpret_cast<const char*>(m.data) + first * m.element;
            for (int i = 1; i < 5; ++i) p += c[i] * long(m.strides[i - 1]);
            check_global(p, static_cast<std::size_t>((last - first) * m.element), 1, "a tensor copy");
            std::memcpy(row.data() + (first - c[0]) * m.element, p,
                        static_cast<std::size_t>((last - first) * m.element));
        }
    }
    for (std::uint32_t i = 0; i < bytes; i += 16)
        std::memcpy(block.place(swizzled(to + i, m.swizzle), 16, 16, "a tensor copy"), row.data() + i, 16);
}
void copy_whole_box(Block& block, const Map& m, const int (&at)[5], std::uint32_t to) {
    const std::uint32_t row_bytes = std::uint32_t(m.box[0]) * m.element;
    const int rows = m.box[1] * m.box[2] * m.box[3] * m.box[4];
    for (int row = 0; row < rows; ++row, to += row_bytes) {
        long c[5] = {at[0]};
        for (int i = 1, left = row; i < 5; left /= m.box[i], ++i) c[i] = at[i] + long(left % m.box[i]) * m.steps[i];
        copy_row(block, m, c, to);
    }
}
void copy_column_of_pixels(Block& block, const Map& m, const int (&at)[5], int right, int down, std::uint32_t to) {
    long x = at[1], y = at[2], image = at[3];
    const long last_x = long(m.extents[1]) - 1 + m.upper[0], last_y = long(m.extents[2]) - 1 + m.upper[1];
    for (int i = 0; i < m.box[1]; ++i, to += std::uint32_t(m.box[0]) * m.element) {
        copy_row(block, m, {at[0], x + right, y + down, image, 0}, to);
        if ((x += m.steps[1]) <= last_x) continue;
        x = m.lower[0];
        if ((y += m.steps[2]) <= last_y) continue;
        y = m.lower[1];
        ++image;
    }
}

// Products.

struct Descriptor {
    std::uint32_t address, group_stride, column_stride;
    /// 8 columns of element k of the sum, where they lie in rows of 64 columns.
    void columns(Block& block, int k, int column, std::uint32_t (&words)[4]) const {
        const std::uint32_t at = address + static_cast<std::uint32_t>(k / 8) * group_stride +
                                 static_cast<std::uint32_t>(k % 8) * 128 +
                                 static_cast<std::uint32_t>(column / 64) * column_stride +
                                 static_cast<std::uint32_t>(column % 64) * 2;
        std::memcpy(words, block.place(swizzled(at, CU_TENSOR_MAP_SWIZZLE_128B), 16, 16, "wgmma"), 16);
    }
    /// Row r of a matrix of 16 elements along k, each 16 bits, in rows of 128 bytes with their swizzle.
    void row(Block& block, int r, std::uint32_t (&words)[8]) const {
        for (std::uint32_t half = 0; half < 2; ++half) {
            const std::uint32_t at = address + static_cast<std::uint32_t>(r / 8) * group_stride +
                                     static_cast<std::uint32_t>(r % 8) * 128 + half * 16;
            std::memcpy(&words[half * 4], block.place(swizzled(at, CU_TENSOR_MAP_SWIZZLE_128B), 16, 16, "wgmma"), 16);
        }
    }
};
Descriptor descriptor_of(std::uint64_t d) {
    if (d >> 62 != 1) fail("wgmma with a descriptor of another swizzle than 128 bytes");
    if (d >> 49 & 7u) fail("wgmma with a descriptor that has a base offset");
    const auto bytes = [&](int bit) { return static_cast<std::uint32_t>(d >> bit & 0x3fffu) << 4; };
    return {bytes(0), bytes(32), bytes(16)};
}

/// One product of a warp: lane i's part is product `number` of its list.
void multiply(Block& block, Thread* lanes, std::size_t number, float* const (&c)[32]) {
    const Product& p = lanes[0].products[number];
    const Element type = p.bf16 ? Element::bf16 : Element::half;
    static thread_local float a[16][16], b[16 * 256], sums[16 * 256];
    const int n = p.n, first = lanes[0].number / 32 % 4 * 16;
    std::uint32_t words[8];
    float pair[2];
    if (p.from_registers) {
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 4; ++i)
                unpack(type, lanes[lane].products[number].a[i], &a[lane / 4 + i % 2 * 8][lane % 4 * 2 + i / 2 * 8]);
    } else {
        const Descriptor d = descriptor_of(p.da);
        for (int r = 0; r < 16; ++r) {
            d.row(block, first + r, words);
            for (int i = 0; i < 8; ++i) unpack(type, words[i], &a[r][2 * i]);
        }
    }
    const Descriptor d = descriptor_of(p.db);
    for (int k = 0; p.rows && k < 16; ++k)
        for (int column = 0; column < n; column += 8) {
            std::uint32_t four[4];
            d.columns(block, k, column, four);
            for (int i = 0; i < 4; ++i) unpack(type, four[i], &b[k * n + column + 2 * i]);
        }
    for (int r = 0; !p.rows && r < n; ++r) {
        d.row(block, r, words);
        for (int i = 0; i < 8; ++i) {
            unpack(type, words[i], pair);
            b[2 * i * n + r] = pair[0], b[(2 * i + 1) * n + r] = pair[1];
        }
    }
    const auto each = [&](auto&& f) {
        for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < n / 2; ++i)
                f(sums[(lane / 4 + i % 4 / 2 * 8) * n + i / 4 * 8 + lane % 4 * 2 + i % 2], c[lane][i]);
    };
    each([&](float& sum, float& register_) { sum = p.add ? register_ : 0.0f; });
    multiply_add(sums, a, b, n, 16);
    each([&](float& sum, float& register_) { register_ = sum; });
}

struct Wait {
    int at_most;
};
void finish_products(Wait* const* waits, unsigned) {
    Block& block = *running_block;
    Thread* const lanes = block.lanes();
    const Thread& first = lanes[0];
    const unsigned left = static_cast<unsigned>(waits[0]->at_most);
    std::size_t done = 0;
    while (done < first.products.size() && first.products[done].group < first.product_groups &&
           first.product_groups - first.products[done].group > left)
        ++done;
    for (std::size_t i = 0; i < done; ++i) {
        float* c[32];
        for (int lane = 0; lane < 32; ++lane) {
            Thread& t = lanes[lane];
            if (i >= t.products.size()) fail("lane ", lane, " has issued fewer products than lane 0");
            const Product &p = t.products[i], &q = first.products[i];
            if (p.n != q.n || p.da != q.da || p.db != q.db || p.add != q.add || p.group != q.group)
                fail("lane ", lane, " has issued another product than lane 0");
            const auto acc =
                std::find_if(t.accumulators.begin(), t.accumulators.end(), [&](const auto& x) { return x.c == p.c; });
            c[lane] = acc->values.data();
        }
        multiply(block, lanes, i, c);
    }
    for (int lane = 0; lane < 32; ++lane) {
        Thread& t = lanes[lane];
        for (std::size_t i = 0; i < done; ++i) {
            const auto acc = std::find_if(t.accumulators.begin(), t.accumulators.end(),
                                          [&](const auto& x) { return x.c == t.products[i].c; });
            if (--acc->products > 0) continue;
            std::copy(acc->values.begin(), acc->values.end(), acc->c);
            t.accumulators.erase(acc);
        }
        t.products.erase(t.products.begin(), t.products.begin() + static_cast<std::ptrdiff_t>(done));
        if (t.products.empty()) t.fenced = false;
    }
}

}  // namespace

void barrier_init(std::uint32_t bar, int arrivals) {
    if (arrivals < 1 || arrivals > 0x7ffe) fail("mbarrier.init of ", arrivals, " arrivals");
    const auto n = static_cast<std::uint16_t>(arrivals);
    *static_cast<Bits*>(running_block->place(bar, 8, 8, "mbarrier.init")) = {0, n, n};
}
void barrier_arrive(std::uint32_t bar, int rank, std::uint32_t bytes) {
    Block& block = running_block->peer(rank);
    Bits* const b = bits_of(block, bar, "mbarrier.arrive");
    if (b->pending == 0) fail("more arrivals at the barrier at shared address ", bar, " than it counts");
    b->bytes += static_cast<std::int32_t>(bytes);
    --b->pending;
    complete(b);
    progress();
}
bool barrier_test(std::uint32_t bar, std::uint32_t parity) {
    if (parity > 1) fail("mbarrier.try_wait for parity ", parity);
    const auto done = [&] { return (bits_of(*running_block, bar, "mbarrier.try_wait")->expected >> 15) != parity; };
    if (done() || (let_one_arrive(*running_block, bar) && done())) return true;
    give_way(true);
    return done();
}

void copy_box(std::uint32_t to, const CUtensorMap& map, std::uint32_t bar, int rank, const int (&c)[5],
              const std::uint16_t* offsets) {
    const Map m = map_of(map);
    if (m.pixels != (offsets != nullptr)) fail("a copy of boxes by a map of pixels, or the other way round");
    if (rank != m.rank) fail("a tensor copy of ", rank, " axes by a map of ", static_cast<int>(m.rank));
    if (to % 128) fail("a tensor copy to shared address ", to, ": not a multiple of 128");
    const std::uint32_t rows = std::uint32_t(m.box[1]) * m.box[2] * m.box[3] * m.box[4],
                        bytes = rows * m.box[0] * m.element;
    if (m.pixels)
        for (int i = 0; i < 2; ++i)
            if (c[1 + i] < m.lower[i] || c[1 + i] > long(m.extents[1 + i]) - 1 + m.upper[i])
                fail("a copy of pixels begins at ", c[1 + i], ", outside of its map's box");
    Block& block = *running_block;
    std::memset(block.place(to, bytes, 16, "a tensor copy"), 0xff, bytes);
    const int right = offsets ? offsets[0] : 0, down = offsets ? offsets[1] : 0;
    begin_copy(block, bar, bytes, [&block, m, to, right, down, at = std::to_array(c)] {
        const int where[5] = {at[0], at[1], at[2], at[3], at[4]};
        if (m.pixels) copy_column_of_pixels(block, m, where, right, down, to);
        else copy_whole_box(block, m, where, to);
    });
}
void copy_to_block(std::uint32_t to, std::uint32_t from, std::uint32_t bytes, std::uint32_t bar, std::uint32_t rank) {
    Block &here = *running_block, &there = here.peer(static_cast<int>(rank));
    if (bytes == 0 || bytes % 16) fail("a bulk copy of ", bytes, " bytes: not a multiple of 16");
    const void* const p = here.place(from, bytes, 16, "a bulk copy");
    void* const q = there.place(to, bytes, 16, "a bulk copy");
    std::memset(q, 0xff, bytes);
    begin_copy(there, bar, bytes, [p, q, bytes] { std::memcpy(q, p, bytes); });
}
void send_to_block(std::uint32_t to, std::uint64_t word, std::uint32_t bar, std::uint32_t rank) {
    Block& there = running_block->peer(static_cast<int>(rank));
    void* const q = there.place(to, 8, 8, "st.async");
    std::memset(q, 0xff, 8);
    begin_copy(there, bar, 8, [q, word] { std::memcpy(q, &word, 8); });
}

void cluster_barrier() {
    Block& block = *running_block;
    Cluster& c = block.cluster();
    const unsigned turn = c.turns;
    if (++c.come == block.grid().cluster * block.threads()) {
        c.come = 0;
        ++c.turns;
        progress();
        return;
    }
    while (c.turns == turn) give_way(true);
}

void products_begin() { running_block->running().fenced = true; }
void product(bool bf16, int n, float* c, const std::uint32_t* a, std::uint64_t da, std::uint64_t db, bool rows,
             bool add) {
    Thread& t = running_block->running();
    if (!t.fenced) fail("wgmma without wgmma.fence before it");
    Product p{bf16, n, c, a != nullptr, {}, da, db, rows, add, t.product_groups};
    if (a) std::copy(a, a + 4, p.a);
    auto acc = std::find_if(t.accumulators.begin(), t.accumulators.end(), [&](const auto& x) { return x.c == c; });
    if (acc == t.accumulators.end()) {
        t.accumulators.push_back({c, std::vector<float>(c, c + n / 2), 0});
        acc = t.accumulators.end() - 1;
        std::fill(c, c + n / 2, std::numeric_limits<float>::quiet_NaN());
    }
    ++acc->products;
    t.products.push_back(p);
}
void products_commit() { ++running_block->running().product_groups; }
void products_wait(int at_most) {
    Wait w{at_most};
    meet<Wait, finish_products>("wgmma.wait_group", ~0u, w);
}

}  // namespace emulator

namespace {

CUresult encode(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* data, const cuuint64_t* extents,
                const cuuint64_t* strides, const cuuint32_t* steps, CUtensorMapSwizzle swizzle, emulator::Map m) {
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
