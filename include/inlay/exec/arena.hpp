// SPDX-License-Identifier: Apache-2.0
/// One piece of memory, handed out while a program is built. Kernels run in the order they were added, so memory freed
/// while building is reused by later kernels. Building once without memory measures how much is needed.
#pragma once

#include <inlay/exec/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace inlay::inline INLAY_ABI {

/// Hands out aligned offsets, first fit; freed neighbours merge.
class Arena {
public:
    static constexpr std::size_t alignment = 256;

    /// Without memory: `measured()` afterwards gives the bytes that the same requests need. Its pointers must not be
    /// read.
    Arena() : base_(reinterpret_cast<char*>(alignment)), size_(SIZE_MAX / 2) { free_[0] = size_; }
    Arena(void* memory, std::size_t bytes) : base_(static_cast<char*>(memory)), size_(bytes) { free_[0] = size_; }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void* take(std::size_t bytes) {
        if (bytes > size_) none_left(bytes);
        bytes = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
        for (auto it = free_.begin(); it != free_.end(); ++it) {
            if (it->second < bytes) continue;
            const std::size_t offset = it->first, rest = it->second - bytes;
            free_.erase(it);
            if (rest) free_[offset + bytes] = rest;
            used_[offset] = bytes;
            high_ = offset + bytes > high_ ? offset + bytes : high_;
            return base_ + offset;
        }
        none_left(bytes);
    }
    void give_back(void* p) {
        const auto it = used_.find(static_cast<std::size_t>(static_cast<char*>(p) - base_));
        require(it != used_.end(), "an arena is given memory back that it did not hand out");
        auto [offset, bytes] = *it;
        used_.erase(it);
        auto next = free_.lower_bound(offset);
        if (next != free_.end() && offset + bytes == next->first) {
            bytes += next->second;
            next = free_.erase(next);
        }
        if (next != free_.begin()) {
            const auto previous = std::prev(next);
            if (previous->first + previous->second == offset) {
                previous->second += bytes;
                return;
            }
        }
        free_[offset] = bytes;
    }
    /// Bytes from the start to the highest one ever handed out.
    std::size_t measured() const { return high_; }

private:
    [[noreturn]] void none_left(std::size_t bytes) const {
        fail("an arena of " + std::to_string(size_) + " bytes has no " + std::to_string(bytes) +
             " bytes left in one piece");
    }

    char* base_;
    std::size_t size_, high_ = 0;
    std::map<std::size_t, std::size_t> free_, used_;
};

/// A dense tensor in an arena, given back at the end of its scope. T: a storage type, or one laid out as it.
template <Stored T, int R>
class Temporary {
    using Value = storage_type<T>;

public:
    Temporary() = default;
    Temporary(Arena& arena, const Extents<R>& e)
        : arena_(&arena), tensor_(static_cast<Value*>(arena.take(dense_bytes<Value>(e))), e) {}
    Temporary(Temporary&& o) noexcept : arena_(std::exchange(o.arena_, nullptr)), tensor_(o.tensor_) {}
    Temporary& operator=(Temporary&& o) noexcept {
        std::swap(arena_, o.arena_);
        std::swap(tensor_, o.tensor_);
        return *this;
    }
    ~Temporary() {
        if (arena_) arena_->give_back(tensor_.data);
    }

    const Tensor<Value, R>& operator*() const { return tensor_; }
    const Tensor<Value, R>* operator->() const { return &tensor_; }

private:
    Arena* arena_ = nullptr;
    Tensor<Value, R> tensor_;
};

}  // namespace inlay::inline INLAY_ABI
