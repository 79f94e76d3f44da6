// SPDX-License-Identifier: Apache-2.0
/// A list that grows, in place of `<vector>` and `<map>` in launchers, which nvcc reads and instantiates for half a
/// second.
#pragma once

#include <inlay/core/config.hpp>

#include <utility>

namespace inlay::inline INLAY_ABI {

/// Values in order, in one piece of memory. T has a default and can be moved.
template <class T>
class List {
public:
    List() = default;
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    List(List&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)), room_(std::exchange(o.room_, 0)) {}
    List& operator=(List&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        std::swap(room_, o.room_);
        return *this;
    }
    ~List() { delete[] data_; }

    int size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](int i) { return data_[i]; }
    const T& operator[](int i) const { return data_[i]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }

    /// Inserts before element i, 0 ≤ i ≤ size. Invalidates references to elements. The list is unchanged if it throws.
    void insert(int i, T value) {
        if (size_ == room_) grow();
        for (int j = size_; j > i; --j) data_[j] = std::move(data_[j - 1]);
        data_[i] = std::move(value);
        ++size_;
    }
    void append(T value) { insert(size_, std::move(value)); }

private:
    void grow() {
        const int room = room_ == 0 ? 8 : 2 * room_;
        T* const data = new T[room];
        for (int i = 0; i < size_; ++i) data[i] = std::move(data_[i]);
        delete[] data_;
        data_ = data;
        room_ = room;
    }

    T* data_ = nullptr;
    int size_ = 0, room_ = 0;
};

}  // namespace inlay::inline INLAY_ABI
