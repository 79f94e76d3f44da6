// SPDX-License-Identifier: Apache-2.0
/// Scratch memory that a launcher owns. It grows, and what was given out before stays until its end: graphs and plans
/// have its address.
#pragma once

#include <inlay/core/list.hpp>
#include <inlay/core/order.hpp>
#include <inlay/tile/gpu/runtime/memory.hpp>
#include <inlay/tile/gpu/runtime/on_device.hpp>

#include <cstddef>
#include <utility>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Bytes that some launches need, each a multiple of 256.
struct ScratchNeeds {
    std::size_t workspace = 0, semaphores = 0;
    bool any() const { return workspace > 0 || semaphores > 0; }
    void cover(const ScratchNeeds& o) {
        workspace = larger(workspace, o.workspace);
        semaphores = larger(semaphores, o.semaphores);
    }
};

class Scratch {
public:
    /// zeroed: its bytes are 0 before the first launch that has them.
    Scratch(const char* name, bool zeroed) : name_(name), zeroed_(zeroed) {}

    std::size_t bytes() const { return memory_.empty() ? 0 : memory_.back().size(); }
    void* data() const { return memory_.empty() ? nullptr : memory_.back().data(); }
    void need(std::size_t bytes) { needed_ = larger(needed_, bytes); }
    bool suffices() const { return needed_ <= bytes(); }
    /// Needs no more than there is.
    void forget() { needed_ = bytes(); }
    /// Waits for the stream. Throws where it captures, and where there is no memory; the need is forgotten then.
    void grow(int device, Stream stream) {
        if (suffices()) return;
        const OnDevice here(device);
        const std::size_t bytes = std::exchange(needed_, this->bytes());
        require(!api::captures(stream), "the ", name_, " of a kernel, ", bytes,
                " bytes, was not reserved before the capture");
        api::synchronize(stream);
        Allocation memory(bytes);
        if (zeroed_) {
            api::zero(memory.data(), bytes, stream);
            api::synchronize(stream);   // launches may go to another one
        }
        memory_.append(std::move(memory));
        needed_ = bytes;
    }

private:
    List<Allocation> memory_;   // the last one is given out
    std::size_t needed_ = 0;
    const char* name_;
    bool zeroed_;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
