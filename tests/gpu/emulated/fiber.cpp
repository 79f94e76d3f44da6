// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <new>

#include <sys/mman.h>

namespace emulator {

Stack::Stack() {
    void* p =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(p);
    mprotect(memory_, guard, PROT_NONE);
}
Stack::~Stack() {
    if (memory_) munmap(memory_, bytes);
}

#if defined(__x86_64__)

extern "C" void emulator_switch(void** from, void* to);
asm(R"(
    .text
    .globl emulator_switch
    .type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulator_switch, .-emulator_switch
)");

void Fiber::start(const Stack& stack, void (*entry)()) {
    void** p = reinterpret_cast<void**>(stack.top());
    *--p = nullptr;  // the caller of entry
    *--p = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; ++i) *--p = nullptr;
    stack_ = p;
}
void Fiber::leave_for(Fiber& other) { emulator_switch(&stack_, other.stack_); }

#else

void Fiber::start(const Stack& stack, void (*entry)()) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack.top() - Stack::bytes + Stack::guard;
    context_.uc_stack.ss_size = Stack::bytes - Stack::guard;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
}
void Fiber::leave_for(Fiber& other) { swapcontext(&context_, &other.context_); }

#endif

}  // namespace emulator
