// SPDX-License-Identifier: Apache-2.0
/// Fibers: stacks that take turns on one host thread. On x86-64 by a switch of the registers that a call keeps,
/// elsewhere by ucontext, which calls the kernel for signal masks.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace emulator {

/// 256 KB, of which only what is touched takes memory; a page below it that is not there.
class Stack {
public:
    Stack();
    Stack(Stack&& o) noexcept : memory_(o.memory_) { o.memory_ = nullptr; }
    ~Stack();
    char* top() const { return memory_ + bytes; }
    bool guards(const void* p) const { return p >= memory_ && p < memory_ + guard; }
    static constexpr std::size_t bytes = 256 << 10, guard = 4096;

private:
    char* memory_;
};

/// The state at which a fiber goes on. One without `start` is that of the host thread that first leaves it.
class Fiber {
public:
    /// Begins with `entry`, which never returns.
    void start(const Stack& stack, void (*entry)());
    /// Leaves this fiber for `other`; returns when somebody comes back.
    void leave_for(Fiber& other);

private:
#if defined(__x86_64__)
    void* stack_ = nullptr;
#else
    ucontext_t context_;
#endif
};

}  // namespace emulator
