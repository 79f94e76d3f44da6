// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"
#include "block.hpp"
#include "memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <sstream>
#include <thread>

#include <csignal>
#include <cxxabi.h>
#include <dlfcn.h>
#include <ucontext.h>

namespace emulator {
namespace {

/// A host thread that runs one block after another while it has the baton.
struct Worker {
    std::binary_semaphore baton{0};
    Block* block = nullptr;     // made by its own thread: shared memory is that thread's
    std::thread thread;
    bool busy() const { return block && block->active(); }
};

class Machine {
public:
    static Machine& one() {
        static Machine* const m = new Machine;  // its threads never end
        return *m;
    }
    void seed(std::uint64_t s) { seed_ = s; }

    std::string run(Grid& grid, unsigned resident) {
        const auto blocks = static_cast<unsigned>(grid.blocks.size()), clusters = blocks / grid.cluster;
        const std::lock_guard lock(mutex_);
        grid.draw = Draw(seed_ * 1000003 + ++launches_);
        grid_ = &grid;
        blocks_ = blocks, begun_ = 0, finished_ = 0;
        resident_ = std::min(resident, blocks);
        first_ = grid.draw.below(clusters);
        do step_ = 1 + grid.draw.below(clusters);
        while (std::gcd(step_, clusters) != 1);
        if (workers_.empty()) add();
        workers_[0]->baton.release();
        done_.acquire();
        for (const auto& w : workers_)
            if (w->block) w->block->abandon();
        grid_ = nullptr;
        return grid.error;
    }

private:
    void add() {
        workers_.push_back(std::make_unique<Worker>());
        Worker& w = *workers_.back();
        w.thread = std::thread([this, &w] { work(w); });
    }

    /// The worker whose turn comes after this one's; itself if there is no other.
    Worker& after(const Worker& w) {
        const auto n = workers_.size();
        std::size_t me = 0;
        while (workers_[me].get() != &w) ++me;
        for (std::size_t i = me + 1; i < n; ++i)
            if (workers_[i]->busy()) return *workers_[i];
        if (begun_ < blocks_ && started() < resident_) {
            for (const auto& v : workers_)
                if (!v->busy()) return *v;
            add();
            return *workers_.back();
        }
        for (std::size_t i = 0; i <= me; ++i)
            if (workers_[i]->busy()) return *workers_[i];
        return *workers_[me];
    }
    unsigned started() const {
        unsigned n = 0;
        for (const auto& w : workers_) n += w->busy();
        return n;
    }
    void pass(Worker& from) {
        Worker& to = after(from);
        if (&to == &from) return;
        to.baton.release();
        from.baton.acquire();
    }
    void end(Worker& from) {
        done_.release();
        from.baton.acquire();
    }

    void work(Worker& w) {
        char signal_stack[65536];
        const stack_t s{signal_stack, 0, sizeof signal_stack};
        sigaltstack(&s, nullptr);
        Block block;
        w.block = &block;
        for (w.baton.acquire();;) {
            if (!block.active()) {
                if (begun_ == blocks_) {
                    pass(w);
                    continue;
                }
                block.begin(*grid_, next());
            }
            switch (block.run()) {
                case Block::Outcome::failed: end(w); break;
                case Block::Outcome::finished:
                    if (++finished_ == blocks_) end(w);
                    else if (grid_->draw.below(2)) pass_if_busy(w);
                    break;
                default: pass(w);
            }
        }
    }
    /// The block that begins next: clusters in an order drawn for the launch, the blocks of one in a row.
    unsigned next() {
        const unsigned size = grid_->cluster, cluster = begun_ / size, rank = begun_ % size;
        ++begun_;
        return static_cast<unsigned>((first_ + std::uint64_t(cluster) * step_) % (blocks_ / size)) * size + rank;
    }
    /// To a block that has begun, if there is one.
    void pass_if_busy(Worker& w) {
        if (started() > 0) pass(w);
    }

    std::mutex mutex_;
    std::uint64_t seed_ = 1, launches_ = 0;
    Grid* grid_ = nullptr;
    unsigned blocks_ = 0, begun_ = 0, finished_ = 0, resident_ = 1, first_ = 0, step_ = 1;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::binary_semaphore done_{0};
};

// A plain load or store that hits nothing ends the launch like any other error.

thread_local constinit const void* touched = nullptr;

void touches_nothing() {
    fail("it reads or writes ", describe(touched));
}
void overflows() {
    fail("its local variables need more than ", Stack::bytes, " bytes, which is all that the emulator has");
}

void on_fault(int number, siginfo_t* info, void* context) {
    if (!running_block || !running_block->active()) {
        std::signal(number, SIG_DFL);
        return;
    }
    touched = info->si_addr;
#if defined(__x86_64__)
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const Stack& stack = running_block->running().stack;
    const bool overflow = stack.guards(touched);
    const auto sp = overflow ? reinterpret_cast<std::uintptr_t>(stack.top())
                             : static_cast<std::uintptr_t>(registers[REG_RSP]) - 256;
    registers[REG_RSP] = static_cast<greg_t>(sp / 16 * 16 - 8);
    registers[REG_RIP] = reinterpret_cast<greg_t>(overflow ? &overflows : &touches_nothing);
#else
    (void)context;
    std::signal(number, SIG_DFL);
#endif
}

GridRecord* record = nullptr;

}  // namespace

GridRecord::GridRecord() { record = this; }
GridRecord::~GridRecord() { record = nullptr; }

int resident_blocks(int threads, std::size_t shared) {
    const int each = static_cast<int>(shared) + DeviceFacts::shared_beside;
    const int by_shared = DeviceFacts::shared_of_multiprocessor / std::max(each, 1);
    return std::min({DeviceFacts::blocks, DeviceFacts::threads / std::max(threads, 1), by_shared});
}

std::string run_grid(const std::string& kernel, dim3 grid, dim3 block, std::size_t shared, unsigned cluster,
                     bool overlaps, const std::function<void()>& thread) {
    static const bool faults_are_caught = [] {
        struct sigaction a {};
        a.sa_sigaction = on_fault;
        a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        return sigaction(SIGSEGV, &a, nullptr) == 0 && sigaction(SIGBUS, &a, nullptr) == 0;
    }();
    (void)faults_are_caught;
    if (record) record->add({kernel, grid.x * grid.y * grid.z, block.x * block.y * block.z, cluster});
    Grid g;
    g.kernel = kernel, g.grid = grid, g.block = block, g.dynamic_shared = shared, g.cluster = cluster,
    g.overlaps = overlaps, g.thread = &thread;
    g.blocks.resize(grid.x * grid.y * grid.z);
    g.clusters.resize(g.blocks.size() / cluster);
    const int threads = static_cast<int>(block.x * block.y * block.z);
    const auto resident = static_cast<unsigned>(DeviceFacts::multiprocessors * resident_blocks(threads, shared));
    return Machine::one().run(g, std::max(resident, cluster));
}

std::string name_of_kernel(const void* kernel) {
    Dl_info info;
    if (!dladdr(kernel, &info) || !info.dli_sname || info.dli_saddr != kernel) {
        std::ostringstream s;
        s << "the kernel at " << kernel;
        return s.str();
    }
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status),
                                                     std::free);
    std::string text = status == 0 ? name.get() : info.dli_sname;
    const auto shorten = [&] {
        if (const auto from = text.find("inlay::"), to = text.find("on_gpu::"); from == 0 && to != std::string::npos)
            text.erase(0, to + 8);
    };
    if (text.starts_with("void ")) text.erase(0, 5);
    shorten();
    // The library's kernel is named by its body.
    if (text.starts_with("kernel<")) {
        text.erase(0, 7);
        if (const auto end = text.rfind(">("); end != std::string::npos) text.erase(text[end - 1] == ' ' ? end - 1 : end);
        shorten();
    }
    if (text.size() > 120) text = text.substr(0, 117) + "…";
    return text;
}

void set_seed(std::uint64_t s) { Machine::one().seed(s); }

}  // namespace emulator
