// SPDX-License-Identifier: Apache-2.0
/// Host memory for weights between a file and its target, used again and again: fresh pages cost more than what is
/// copied into them.
#pragma once

#include <inlay/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::nn {

/// Blocks of host memory that come back. It holds no more blocks than were taken at once.
class HostPool {
public:
    struct Block {
        std::unique_ptr<std::byte[]> data;
        std::size_t bytes = 0;
    };

    /// A block of at least `bytes`, of any content: the smallest one that fits, else a new one in place of the largest.
    Block take(std::size_t bytes) {
        const auto by_bytes = [](const Block& a, const Block& b) { return a.bytes < b.bytes; };
        auto best = free_.end();
        for (auto b = free_.begin(); b != free_.end(); ++b)
            if (b->bytes >= bytes && (best == free_.end() || b->bytes < best->bytes)) best = b;
        const bool fits = best != free_.end();
        if (!fits) best = std::max_element(free_.begin(), free_.end(), by_bytes);
        Block taken;
        if (best != free_.end()) {
            taken = std::move(*best);
            free_.erase(best);
        }
        if (!fits) {
            taken = {};
            taken = {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
        }
        return taken;
    }
    void give_back(Block&& b) { free_.push_back(std::move(b)); }
    std::size_t free_blocks() const { return free_.size(); }

private:
    std::vector<Block> free_;
};

/// `size()` elements in a block of a pool, which outlives them. Their values are any before they are written.
template <class T>
class HostArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    HostArray() = default;
    HostArray(std::shared_ptr<HostPool> pool, std::size_t n)
        : pool_(std::move(pool)), block_(pool_->take(n * sizeof(T))), size_(n) {}
    HostArray(HostArray&& o) noexcept { swap(o); }
    HostArray& operator=(HostArray&& o) noexcept {
        HostArray old(std::move(*this));
        swap(o);
        return *this;
    }
    ~HostArray() {
        if (block_.data) pool_->give_back(std::move(block_));
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    // The block is aligned for every storage type, which are no larger than what `new` aligns for.
    T* data() { return reinterpret_cast<T*>(block_.data.get()); }
    const T* data() const { return reinterpret_cast<const T*>(block_.data.get()); }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }

    /// Room of the same size in the same pool.
    HostArray like() const { return empty() ? HostArray() : HostArray(pool_, size_); }
    HostArray copy() const {
        HostArray c = like();
        std::copy_n(data(), size_, c.data());
        return c;
    }

private:
    void swap(HostArray& o) noexcept {
        std::swap(pool_, o.pool_);
        std::swap(block_, o.block_);
        std::swap(size_, o.size_);
    }

    std::shared_ptr<HostPool> pool_;
    HostPool::Block block_;
    std::size_t size_ = 0;
};

}  // namespace inlay::inline INLAY_ABI::nn
