// SPDX-License-Identifier: Apache-2.0
/// Services of a block for the instructions that it runs: shared memory, copies by threads, barriers.
#include "block.hpp"
#include "memory.hpp"

#include <cstring>
#include <stdexcept>

namespace emulator {

std::uint32_t Block::address(const void* p) {
    if (const std::uint32_t a = shared_.address(p)) return a;
    stop("an address that is not in shared memory is taken for one that is");
}
void* Block::place(std::uint32_t address, std::size_t bytes, std::size_t alignment, const char* what) {
    char* const p = shared_.at(address, bytes);
    if (!p) fail(what, " of ", bytes, " bytes at ", shared_.describe(address));
    if (address % alignment)
        fail(what, " of ", bytes, " bytes at ", shared_.describe(address), ": not a multiple of ", alignment);
    return p;
}
const void* Block::read_by_engine(std::uint32_t address, std::size_t bytes, std::size_t alignment, const char* what) {
    const void* const p = place(address, bytes, alignment, what);
    if (!shared_.engines_see(address, bytes))
        fail(what, " reads ", shared_.describe(address), ": written by threads without fence_shared_for_engines");
    return p;
}
void Block::write_by_engine(std::uint32_t address, const void* data, std::size_t bytes, std::size_t alignment,
                            const char* what) {
    place(address, bytes, alignment, what);
    shared_.write_by_engine(address, data, bytes);
}
Block& Block::peer(int rank) {
    if (rank < 0) return *this;
    if (static_cast<unsigned>(rank) >= grid_->cluster)
        fail("there is no block ", rank, " in a cluster of ", grid_->cluster);
    Block* const b = grid_->blocks[index_ / grid_->cluster * grid_->cluster + static_cast<unsigned>(rank)];
    if (!b) fail("block ", rank, " of the cluster has not begun, or has ended");
    return *b;
}

void Block::copy(std::uint32_t to, const void* from, int bytes, int size) {
    if (size < 0 || size > bytes) fail("cp.async of ", bytes, " bytes reads ", size);
    char* const place = static_cast<char*>(emulator::shared(to, static_cast<std::size_t>(bytes),
                                                            static_cast<std::size_t>(bytes), "cp.async"));
    if (size > 0) check_global(from, static_cast<std::size_t>(size), 1, "cp.async");
    if (size > 0 && reinterpret_cast<std::uintptr_t>(from) % static_cast<unsigned>(bytes))
        fail("cp.async of ", bytes, " bytes reads at ", describe(from), ": not a multiple of as many");
    std::memset(place, 0xff, static_cast<std::size_t>(bytes));
    running_->copies.push_back({place, from, bytes, size, running_->groups});
}
void Block::wait_for_groups(int at_most) {
    auto& copies = running_->copies;
    const unsigned groups = running_->groups, left = static_cast<unsigned>(at_most);
    std::size_t done = 0;
    for (; done < copies.size(); ++done) {
        const Copy& c = copies[done];
        if (c.group >= groups || groups - c.group <= left) break;
        std::memcpy(c.to, c.from, static_cast<std::size_t>(c.size));
        std::memset(c.to + c.size, 0, static_cast<std::size_t>(c.bytes - c.size));
    }
    copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(done));
}

// Functions that instructions call.

namespace {

Block& block(const char* what) {
    if (running_block) return *running_block;
    throw std::logic_error(std::string("emulator: the host calls ") + what);
}

}  // namespace

void stop(const std::string& what) { block("a device function").stop(what); }
int thread_number() { return running_block->running().number; }
Lanes lanes_there() { return block("an instruction of a warp").lanes_there(); }
void meet(const char* what, Lanes mask, void* mine, void (*all)(void* const*, Lanes)) {
    block(what).meet(what, mask, mine, all);
}
Votes barrier(const char* what, int id, int threads, bool vote, bool stay) {
    return block(what).barrier(what, id, threads, vote, stay);
}
void give_way(bool waits) { block("an atomic").give_way(waits); }
void progress() { running_block->progress(); }
void copy_in_background(std::uint32_t to, const void* from, int bytes, int size) {
    block("cp.async").copy(to, from, bytes, size);
}
void close_group() { running_block->close_group(); }
void wait_for_groups(int at_most) { running_block->wait_for_groups(at_most); }

void slot_begins() { ++block("a copy").running().slots; }
void slot_lands() { --running_block->running().slots; }

std::uint32_t shared_offset(const void* p) { return block("shared_address").address(p); }
void* shared(std::uint32_t address, std::size_t bytes, std::size_t alignment, const char* what) {
    return running_block->place(address, bytes, alignment, what);
}
void after_previous_kernel() { running_block->running().after_previous = true; }
void reads_constants() { running_block->running().constants = true; }
void check_access(const void* p, std::size_t bytes, std::size_t alignment, const char* what) {
    if (!is_allocated(p, bytes)) fail(what, " of ", bytes, " bytes at ", describe(p), ", not all in one allocation");
    if (reinterpret_cast<std::uintptr_t>(p) % alignment)
        fail(what, " of ", bytes, " bytes at ", describe(p), ": not a multiple of ", alignment);
}
void check_global(const void* p, std::size_t bytes, std::size_t alignment, const char* what) {
    running_block->check_order(what);
    check_access(p, bytes, alignment, what);
}
void check_constant(const void* p, std::size_t bytes, std::size_t alignment, const char* what) {
    if (!running_block->running().constants) running_block->check_order(what);
    check_access(p, bytes, alignment, what);
}
void check_prefetch(const void* p) {
    if (!is_allocated(p, 1)) fail("a prefetch of what is at ", describe(p), ", in no allocation");
}

}  // namespace emulator
