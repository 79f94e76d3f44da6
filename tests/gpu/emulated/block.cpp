// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>

__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread dim3 blockDim{0, 0, 0}, gridDim{0, 0, 0};

namespace emulator {

thread_local constinit Block* running_block = nullptr;

void Block::begin(Grid& grid, unsigned index) {
    grid_ = &grid;
    index_ = index;
    count_ = static_cast<int>(grid.block.x * grid.block.y * grid.block.z);
    while (threads_.size() < static_cast<std::size_t>(count_)) threads_.emplace_back();
    shared_.begin(grid.dynamic_shared);
    ::blockDim = grid.block;
    ::gridDim = grid.grid;
    ::blockIdx = {index % grid.grid.x, index / grid.grid.x % grid.grid.y, index / grid.grid.x / grid.grid.y};
    std::fill(std::begin(ready_), std::end(ready_), Lanes(0));
    std::fill(std::begin(waits_), std::end(waits_), Lanes(0));
    std::fill(std::begin(meets_), std::end(meets_), Lanes(0));
    for (Barrier& b : barriers_) b.what = nullptr, b.threads = b.come = 0, b.votes = {}, b.waiting.clear();
    warps_ready_ = 0;
    returned_ = 0;
    gives_way_ = false;
    for (int i = 0; i < count_; ++i) {
        Thread& t = threads_[static_cast<std::size_t>(i)];
        t.number = i;
        t.groups = 0;
        t.copies.clear();
        t.slots = 0;
        t.products.clear();
        t.accumulators.clear();
        t.product_groups = 0;
        t.cluster_turn = 0;
        t.fenced = false;
        t.after_previous = t.constants = false;
        t.fiber.start(t.stack, &Block::enter);
        ready(i);
    }
    coming.clear();
    grid.blocks[index] = this;
    active_ = true;
}

void Block::ready(int thread) {
    threads_[static_cast<std::size_t>(thread)].state = Thread::State::runs;
    ready_[thread / warp_lanes] |= Lanes(1) << thread % warp_lanes;
    warps_ready_ |= Lanes(1) << thread / warp_lanes;
}

Thread* Block::next() {
    if (!warps_ready_) return nullptr;
    if (!ready_[warp_] || !(warps_ready_ >> warp_ & 1u)) {
        const int turn = static_cast<int>(grid_->draw.below(most_warps));
        warp_ = (std::countr_zero(std::rotr(warps_ready_, turn)) + turn) % 64;
        turn_ = static_cast<int>(grid_->draw.below(warp_lanes));
        down_ = grid_->draw.below(2);
    }
    const Lanes lanes = std::rotr(ready_[warp_], turn_);
    const int lane = ((down_ ? 63 - std::countl_zero(lanes) : std::countr_zero(lanes)) + turn_) % 64;
    ready_[warp_] &= ~(Lanes(1) << lane);
    if (!ready_[warp_]) warps_ready_ &= ~(Lanes(1) << warp_);
    return &threads_[static_cast<std::size_t>(warp_ * warp_lanes + lane)];
}

/// The running thread makes room: for the next one, or for the host thread's own fiber if there is none.
void Block::leave() {
    Thread* const from = running_;
    Thread* const to = gives_way_ ? nullptr : next();
    if (to == from) return;
    running_ = to;
    if (to) {
        const auto n = static_cast<unsigned>(to->number);
        ::threadIdx = {n % ::blockDim.x, n / ::blockDim.x % ::blockDim.y, n / ::blockDim.x / ::blockDim.y};
    }
    from->fiber.leave_for(to ? to->fiber : base_);
}

Block::Outcome Block::run() {
    running_block = this;
    gives_way_ = false;
    running_ = next();
    if (running_) {
        const auto n = static_cast<unsigned>(running_->number);
        ::threadIdx = {n % ::blockDim.x, n / ::blockDim.x % ::blockDim.y, n / ::blockDim.x / ::blockDim.y};
        base_.leave_for(running_->fiber);
    }
    running_ = nullptr;
    if (!grid_->error.empty()) return Outcome::failed;
    if (returned_ == count_) {
        active_ = false;
        grid_->waits = 0;
        grid_->blocks[index_] = nullptr;
        grid_->error = coming.empty() ? shared_.damage() : "it ends while a copy to its shared memory is under way";
        if (grid_->error.empty()) return Outcome::finished;
        grid_->error = grid_->kernel + ", block " + std::to_string(index_) + ": " + grid_->error;
        return Outcome::failed;
    }
    if (gives_way_) return Outcome::gives_way;
    bool some = false;
    for (int w = 0; w < most_warps; ++w)
        for (; waits_[w]; waits_[w] &= waits_[w] - 1) ready(w * warp_lanes + std::countr_zero(waits_[w])), some = true;
    if (some && ++grid_->waits < 20000) return Outcome::waits;
    grid_->error = grid_->kernel + ", block " + std::to_string(index_) +
                   (some ? ": its threads wait for ever" : ": deadlock: " + where_all_wait());
    return Outcome::failed;
}

/// "threads 0 to 31 wait at block_sync; threads 32 to 127 have returned".
std::string Block::where_all_wait() const {
    std::ostringstream s;
    const auto said = [&](int i) {
        const Thread& t = threads_[static_cast<std::size_t>(i)];
        std::ostringstream one;
        if (t.state == Thread::State::returned) one << "returned";
        else if (t.state == Thread::State::at_barrier) one << "waits at " << t.what << " (barrier " << t.barrier << ")";
        else one << "waits at " << t.what << " with mask 0x" << std::hex << t.mask;
        return one.str();
    };
    for (int first = 0; first < count_;) {
        int last = first;
        while (last + 1 < count_ && said(last + 1) == said(first)) ++last;
        s << (first ? "; " : "") << "thread " << first;
        if (last > first) s << " to " << last;
        s << ' ' << said(first);
        first = last + 1;
        if (s.tellp() > 600) {
            s << "; …";
            break;
        }
    }
    return s.str();
}

void Block::enter() {
    Block& b = *running_block;
    (*b.grid_->thread)();
    b.returns();
}
void Block::returns() {
    for (const Copy& c : running_->copies)
        stop("it returns while a copy of " + std::to_string(c.bytes) +
             " bytes is under way for which it has not waited");
    if (running_->slots > 0) stop("it returns while " + std::to_string(running_->slots) + " copies have not landed");
    if (!running_->products.empty()) stop("it returns while products are under way for which it has not waited");
    check_order("returning");
    running_->state = Thread::State::returned;
    ++returned_;
    grid_->waits = 0;
    leave();
}

void Block::stop(const std::string& what) {
    std::ostringstream s;
    s << grid_->kernel << ", block " << index_ << ", thread " << running_->number << ": " << what;
    grid_->error = s.str();
    gives_way_ = true;
    running_->state = Thread::State::returned;
    leave();
    __builtin_unreachable();
}

void Block::check_order(const char* what) {
    if (grid_->overlaps && !running_->after_previous)
        stop(std::string(what) + " before after_previous_kernel, in a launch that overlaps");
}

bool Block::same(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

Lanes Block::lanes_there() const {
    const int behind = count_ - running_->number / warp_lanes * warp_lanes;
    return behind < warp_lanes ? whole_warp >> (warp_lanes - behind) : whole_warp;
}
void Block::meet(const char* what, Lanes mask, void* mine, void (*all)(void* const*, Lanes)) {
    Thread& t = *running_;
    const int warp = t.number / warp_lanes, lane = t.number % warp_lanes, first = warp * warp_lanes;
    Thread* const lanes = &threads_[static_cast<std::size_t>(first)];
    if (!(mask >> lane & 1u)) stop(std::string(what) + " with a mask that does not name the lane itself");
    if (mask & ~lanes_there()) stop(std::string(what) + " names lanes that the warp does not have");
    t.what = what, t.mask = mask, t.mine = mine;
    if (const Lanes others = meets_[warp] & mask) {
        const Thread& other = lanes[std::countr_zero(others)];
        if (other.mask != mask || !same(other.what, what)) {
            std::ostringstream s;
            s << "its warp is torn: lane " << lane << " comes to " << what << " with mask 0x" << std::hex << mask
              << std::dec << ", lane " << other.number % warp_lanes << " waits at " << other.what << " with mask 0x" << std::hex
              << other.mask;
            stop(s.str());
        }
    }
    meets_[warp] |= Lanes(1) << lane;
    if ((meets_[warp] & mask) != mask) {
        t.state = Thread::State::meets;
        return leave();
    }
    void* brought[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) brought[i] = mask >> i & 1u ? lanes[i].mine : nullptr;
    all(brought, mask);
    meets_[warp] &= ~mask;
    for (Lanes m = mask; m; m &= m - 1) ready(first + std::countr_zero(m));
    if (grid_->draw.below(16) == 0) warp_ = static_cast<int>(grid_->draw.below(most_warps));  // perhaps another warp's turn
    turn_ = static_cast<int>(grid_->draw.below(warp_lanes));
    leave();
}

Votes Block::barrier(const char* what, int id, int threads, bool vote, bool stay) {
    if (threads == 0) threads = count_;
    Barrier& b = barriers_[id];
    if (b.come == 0) b.what = what, b.threads = threads, b.votes = {};
    else if (b.threads != threads)
        stop(std::string(what) + " is for " + std::to_string(threads) + " threads, others wait there for " +
             std::to_string(b.threads));
    else if (id == 0 && !same(b.what, what)) stop(std::string("others wait at ") + b.what + ", it comes to " + what);
    ++b.come;
    ++b.votes.all;
    b.votes.yes += vote;
    if (stay) b.waiting.push_back(running_->number);
    running_->what = what;
    running_->barrier = id;
    if (b.come == b.threads) {
        b.come = 0;
        for (const int i : b.waiting) {
            threads_[static_cast<std::size_t>(i)].votes = b.votes;
            ready(i);
        }
        b.waiting.clear();
        warp_ = static_cast<int>(grid_->draw.below(most_warps));
        if (!stay) return {};
        leave();
    } else {
        if (!stay) return {};
        running_->state = Thread::State::at_barrier;
        leave();
    }
    return running_->votes;
}

void Block::give_way(bool waits) {
    const int n = running_->number;
    if (waits) {
        waits_[n / warp_lanes] |= Lanes(1) << n % warp_lanes;
        return leave();
    }
    if (grid_->draw.below(2)) return;
    gives_way_ = true;
    ready(n);
    leave();
}

}  // namespace emulator
