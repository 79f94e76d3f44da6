// SPDX-License-Identifier: Apache-2.0
/// Text of names and sentences, in place of `<string>` and `<string_view>` in the headers that every kernel includes,
/// which nvcc reads in each of its passes, for half a second together. Both convert to the standard's types and from
/// them.
#pragma once

#include <inlay/core/config.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace inlay::inline INLAY_ABI {

namespace detail {
/// std::string and std::string_view.
template <class S>
concept StandardText = std::is_same_v<typename S::value_type, char> && requires(const S& s) {
    typename S::traits_type;
    S(s.data(), s.size());
};
template <class S>
concept OutputStream = requires(S& o, const char* p) { o.write(p, 1).flush(); };
}  // namespace detail

/// Characters that another object owns and keeps for longer.
class Letters {
public:
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

    constexpr Letters() = default;
    constexpr Letters(const char* s) : data_(s) {
        while (s[size_]) ++size_;
    }
    constexpr Letters(const char* s, std::size_t n) : data_(s), size_(n) {}
    template <detail::StandardText S>
    constexpr Letters(const S& s) : Letters(s.data(), s.size()) {}
    template <detail::StandardText S>
    constexpr operator S() const {
        return S(data_, size_);
    }

    constexpr const char* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr char operator[](std::size_t i) const { return data_[i]; }
    constexpr const char* begin() const { return data_; }
    constexpr const char* end() const { return data_ + size_; }
    /// Characters from the i-th on, at most n.
    constexpr Letters part(std::size_t i, std::size_t n = npos) const {
        return {data_ + i, n < size_ - i ? n : size_ - i};
    }
    constexpr bool starts_with(Letters s) const {
        if (s.size_ > size_) return false;
        for (std::size_t i = 0; i < s.size_; ++i)
            if (data_[i] != s.data_[i]) return false;
        return true;
    }
    /// Position of the first `s`; npos: there is none.
    constexpr std::size_t find(Letters s) const {
        for (std::size_t i = 0; i + s.size_ <= size_; ++i)
            if (part(i).starts_with(s)) return i;
        return npos;
    }
    /// Position of the last `s`; npos: there is none.
    constexpr std::size_t rfind(Letters s) const {
        std::size_t found = npos;
        for (std::size_t i = 0; i + s.size_ <= size_; ++i)
            if (part(i).starts_with(s)) found = i;
        return found;
    }

    template <detail::OutputStream Stream>
    friend Stream& operator<<(Stream& o, Letters s) {
        o.write(s.data_, static_cast<std::ptrdiff_t>(s.size_));
        return o;
    }

private:
    const char* data_ = "";
    std::size_t size_ = 0;
};

constexpr bool operator==(Letters a, Letters b) { return a.size() == b.size() && a.starts_with(b); }

/// Characters that it owns.
class Text {
public:
    constexpr Text() = default;
    constexpr Text(Letters s) { *this += s; }
    constexpr Text(const char* s) : Text(Letters(s)) {}
    template <detail::StandardText S>
    constexpr Text(const S& s) : Text(Letters(s)) {}
    constexpr Text(const Text& o) : Text(Letters(o)) {}
    constexpr Text(Text&& o) noexcept { swap(o); }
    constexpr Text& operator=(Text o) noexcept {
        swap(o);
        return *this;
    }
    constexpr ~Text() { delete[] data_; }
    constexpr operator Letters() const { return {c_str(), size_}; }
    template <detail::StandardText S>
    constexpr operator S() const {
        return S(c_str(), size_);
    }

    constexpr const char* c_str() const { return data_ ? data_ : ""; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr std::size_t find(Letters s) const { return Letters(*this).find(s); }

    /// `s` may be a part of it.
    constexpr Text& operator+=(Letters s) {
        if (s.empty()) return *this;
        const std::size_t size = size_ + s.size();
        char* const old = data_;
        if (size > room_) {
            room_ = size > 2 * room_ ? size : 2 * room_;
            data_ = new char[room_ + 1];
            for (std::size_t i = 0; i < size_; ++i) data_[i] = old[i];
        }
        for (std::size_t i = 0; i < s.size(); ++i) data_[size_ + i] = s[i];
        data_[size_ = size] = 0;
        if (data_ != old) delete[] old;
        return *this;
    }
    constexpr Text& operator+=(char c) { return *this += Letters(&c, 1); }

    template <detail::OutputStream Stream>
    friend Stream& operator<<(Stream& o, const Text& s) {
        return o << Letters(s);
    }

private:
    constexpr void swap(Text& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        std::swap(room_, o.room_);
    }

    char* data_ = nullptr;      ///< null, or room_ + 1 of them, those after the last one are unused but for a zero
    std::size_t size_ = 0, room_ = 0;
};

constexpr Text operator+(Letters a, Letters b) {
    Text t(a);
    t += b;
    return t;
}
constexpr Text operator+(Letters a, char b) { return a + Letters(&b, 1); }

/// A number in decimals.
template <class T>
    requires std::is_integral_v<T>
constexpr Text decimal_text(T x) {
    char digits[24] = {};
    int i = 24;
    bool negative = false;
    if constexpr (std::is_signed_v<T>) negative = x < 0;
    auto n = static_cast<unsigned long long>(x);
    if (negative) n = 0 - n;
    do digits[--i] = static_cast<char>('0' + n % 10);
    while (n /= 10);
    if (negative) digits[--i] = '-';
    return Letters(digits + i, static_cast<std::size_t>(24 - i));
}

}  // namespace inlay::inline INLAY_ABI
