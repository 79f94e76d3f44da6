// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/arena.hpp>
#include <inlay/exec/memory.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace inlay;

TEST(Arena, HandsOutAlignedPieces) {
    const HostMemory memory(4096);
    Arena arena(memory.data(), memory.size());
    char* const a = static_cast<char*>(arena.take(1));
    char* const b = static_cast<char*>(arena.take(257));
    char* const c = static_cast<char*>(arena.take(0));
    EXPECT_EQ(a, memory.data());
    EXPECT_EQ(b - a, 256);
    EXPECT_EQ(c - b, 512);
    EXPECT_EQ(arena.measured(), 1024u);
}

TEST(Arena, ReusesTheFirstGapThatFits) {
    const HostMemory memory(4096);
    Arena arena(memory.data(), memory.size());
    void* const a = arena.take(512);
    void* const b = arena.take(256);
    void* const c = arena.take(512);
    arena.give_back(a);
    EXPECT_EQ(arena.take(256), a);
    EXPECT_NE(arena.take(512), a);  // only 256 bytes of the gap are left
    arena.give_back(b);
    EXPECT_EQ(arena.take(512), static_cast<char*>(a) + 256);  // neighbours have merged
    arena.give_back(c);
}

TEST(Arena, SaysWhatIsMissing) {
    const HostMemory memory(1024);
    Arena arena(memory.data(), memory.size());
    arena.take(512);
    try {
        arena.take(513);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: an arena of 1024 bytes has no 768 bytes left in one piece");
    }
    int elsewhere = 0;
    EXPECT_THROW(arena.give_back(&elsewhere), Error);
}

// Pieces in use never overlap, whatever the order, and a second arena of the measured size serves the same requests.
TEST(Arena, MeasuredSizeIsEnough) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto drive = [&](Arena& arena, bool write) {
            struct Piece {
                unsigned char* p;
                std::size_t n;
                unsigned char mark;
            };
            std::mt19937 draw(seed);
            std::vector<Piece> held;
            for (int i = 0; i < 300; ++i) {
                if (held.empty() || draw() % 5 < 3) {
                    const std::size_t n = draw() % 3000;
                    const Piece piece{static_cast<unsigned char*>(arena.take(n)), n, static_cast<unsigned char>(i)};
                    if (write) std::memset(piece.p, piece.mark, n);
                    held.push_back(piece);
                } else {
                    const std::size_t k = draw() % held.size();
                    const Piece piece = held[k];
                    held.erase(held.begin() + static_cast<std::ptrdiff_t>(k));
                    for (std::size_t j = 0; write && j < piece.n; ++j) ASSERT_EQ(piece.p[j], piece.mark);
                    arena.give_back(piece.p);
                }
            }
        };
        Arena measure;
        drive(measure, false);
        const HostMemory memory(measure.measured());
        Arena arena(memory.data(), memory.size());
        drive(arena, true);
        EXPECT_EQ(arena.measured(), measure.measured());
    }
}

TEST(Arena, AllGivenBackIsOnePieceAgain) {
    const HostMemory memory(1024);
    Arena arena(memory.data(), memory.size());
    std::vector<void*> pieces;
    for (int i = 0; i < 4; ++i) pieces.push_back(arena.take(256));
    for (const int i : {1, 3, 0, 2}) arena.give_back(pieces[static_cast<std::size_t>(i)]);
    EXPECT_EQ(arena.take(1024), memory.data());
}

TEST(Temporary, GivesItsMemoryBackAtTheEndOfItsScope) {
    const HostMemory memory(4096);
    Arena arena(memory.data(), memory.size());
    float* first = nullptr;
    {
        Temporary<float, 2> a(arena, {{3, 5}});
        first = a->data;
        EXPECT_EQ(a->extents, (Extents<2>{{3, 5}}));
        EXPECT_TRUE(a->contiguous());
        Temporary<float, 2> b = std::move(a);
        EXPECT_EQ(b->data, first);
        const Temporary<float, 2> c(arena, {{3, 5}});
        EXPECT_NE(c->data, first);  // a moved to b, which still lives
    }
    const Temporary<float, 2> again(arena, {{3, 5}});
    EXPECT_EQ(again->data, first);
}

// `h = f(*h)` as layers write it: the old tensor lives until the new one exists.
TEST(Temporary, AssignmentKeepsBothUntilItIsDone) {
    const HostMemory memory(4096);
    Arena arena(memory.data(), memory.size());
    Temporary<float, 1> h(arena, {{64}});
    float* const old = h->data;
    h = Temporary<float, 1>(arena, {{64}});
    EXPECT_NE(h->data, old);
    h = Temporary<float, 1>(arena, {{64}});
    EXPECT_EQ(h->data, old);
}

}  // namespace
