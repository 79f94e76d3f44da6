// SPDX-License-Identifier: Apache-2.0
#include <emulator/hopper.hpp>

#include "engines.hpp"

#include <emulator/matrices.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace emulator {
namespace {

struct Descriptor {
    std::uint32_t address, group_stride, column_stride;
    /// 8 columns of element k of the sum, where they lie in rows of 64 columns.
    void columns(Block& block, int k, int column, std::uint32_t (&words)[4]) const {
        const std::uint32_t at = address + static_cast<std::uint32_t>(k / 8) * group_stride +
                                 static_cast<std::uint32_t>(k % 8) * 128 +
                                 static_cast<std::uint32_t>(column / 64) * column_stride +
                                 static_cast<std::uint32_t>(column % 64) * 2;
        std::memcpy(words, block.read_by_engine(swizzled(at, CU_TENSOR_MAP_SWIZZLE_128B), 16, 16, "wgmma"), 16);
    }
    /// Row r of a matrix of 16 elements along k, each 16 bits, in rows of 128 bytes with their swizzle.
    void row(Block& block, int r, std::uint32_t (&words)[8]) const {
        for (std::uint32_t half = 0; half < 2; ++half) {
            const std::uint32_t at = address + static_cast<std::uint32_t>(r / 8) * group_stride +
                                     static_cast<std::uint32_t>(r % 8) * 128 + half * 16;
            std::memcpy(&words[half * 4],
                        block.read_by_engine(swizzled(at, CU_TENSOR_MAP_SWIZZLE_128B), 16, 16, "wgmma"), 16);
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
void finish_products(Wait* const* waits, Lanes) {
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

