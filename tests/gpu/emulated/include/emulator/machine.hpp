// SPDX-License-Identifier: Apache-2.0
/// Operations of an emulated instruction on the machine it runs on: meet the other lanes of its warp, meet the threads
/// of its block, copy in the background, look at addresses, and fail with a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

namespace emulator {

/// Lanes of a warp, and a set of them.
#if defined(__gfx942__)
inline constexpr int warp_lanes = 64;
#else
inline constexpr int warp_lanes = 32;
#endif
using Lanes = std::uint64_t;
inline constexpr Lanes whole_warp = ~Lanes(0) >> (64 - warp_lanes);

/// Ends the launch: its error names the kernel, the block and the thread that runs, and says `what`.
[[noreturn]] void stop(const std::string& what);
template <class... A>
[[noreturn]] void fail(const A&... parts) {
    std::ostringstream s;
    (s << ... << parts);
    stop(s.str());
}

/// The running thread's number in its block, and lane.
int thread_number();
inline int lane() { return thread_number() % warp_lanes; }
/// The lanes of its warp that the block has.
Lanes lanes_there();

/// Waits until all lanes of `mask` have come to the instruction `what`, then `all` is called once with what each of
/// them brought, null for lanes that are not in the mask. It is an error if one of them waits elsewhere or has
/// returned.
void meet(const char* what, Lanes mask, void* mine, void (*all)(void* const* lanes, Lanes mask));
template <class T, void (*All)(T* const*, Lanes)>
void meet(const char* what, Lanes mask, T& mine) {
    meet(what, mask, &mine, [](void* const* lanes, Lanes m) {
        T* each[warp_lanes];
        for (int i = 0; i < warp_lanes; ++i) each[i] = static_cast<T*>(lanes[i]);
        All(each, m);
    });
}

/// The votes of the threads at a barrier.
struct Votes {
    int yes = 0, all = 0;
};
/// Waits until `threads` threads, all of the block if 0, have come to barrier `id`; with `stay` false the thread only
/// counts.
Votes barrier(const char* what, int id, int threads, bool vote, bool stay = true);

/// The thread lets others run: before whatever other blocks may see, with `waits` where it repeats until they act.
void give_way(bool waits);
/// Something has changed for which others may be waiting.
void progress();

/// Addresses in shared memory as 32 bits, and the memory behind them: checked, for `bytes` at a multiple of
/// `alignment`.
std::uint32_t shared_offset(const void* p);
void* shared(std::uint32_t address, std::size_t bytes, std::size_t alignment, const char* what);
/// Checks an access to the device's memory.
void check_global(const void* p, std::size_t bytes, std::size_t alignment, const char* what);
/// The same of one that was begun before, when that was allowed.
void check_access(const void* p, std::size_t bytes, std::size_t alignment, const char* what);
/// The same, allowed from `reads_constants` on.
void check_constant(const void* p, std::size_t bytes, std::size_t alignment, const char* what);
/// Checks an address that is prefetched, at any time: it is in an allocation.
void check_prefetch(const void* p);

/// Before it a thread of a launch that overlaps must not touch the device's memory, nor return.
void after_previous_kernel();
/// Before it no constants either.
void reads_constants();

/// `cp.async`: `to` holds NaN until a wait for the copy's group.
void copy_in_background(std::uint32_t to, const void* from, int bytes, int size);
void close_group();
void wait_for_groups(int at_most);

/// Counts the copies that this thread has begun and that have not landed: it must not return before.
void slot_begins();
void slot_lands();

/// The order in which threads and blocks take turns follows from it and from the number of the launch.
void set_seed(std::uint64_t);

/// Makes `cudaFuncGetAttributes` report that this code is the image of an H100 (`tile/cuda/runtime/target.hpp`).
void image_is_sm90a();

}  // namespace emulator
