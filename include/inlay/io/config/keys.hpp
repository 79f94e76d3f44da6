// SPDX-License-Identifier: Apache-2.0
/// The keys of a config file, each read with its type checked. A key is honoured, listed as one without effect, or
/// refused by an error that names key and value; so no key of a file is passed over in silence.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/io/json_file.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

/// A key that is absent or null has its default.
class ConfigKeys {
public:
    /// `source` opens every error: "unet: config.json". Throws when `json` is no object.
    ConfigKeys(const Json& json, std::string source) : json_(&json), source_(std::move(source)) {
        require(json.is_object(), source_, " is a JSON ", json.type_name(), ", expected an object");
    }

    /// From 1 on.
    index_t integer(const char* key, index_t otherwise) {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!in_range(*v, 1, largest)) expected(key, "a positive integer");
        return v->get<index_t>();
    }
    /// From 0 on.
    int count(const char* key, int otherwise) {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!in_range(*v, 0, 1'000'000)) expected(key, "an integer from 0 to 1000000");
        return v->get<int>();
    }
    double number(const char* key, double otherwise) {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!v->is_number() || !std::isfinite(v->get<double>())) expected(key, "a number");
        return v->get<double>();
    }
    bool boolean(const char* key, bool otherwise) {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!v->is_boolean()) expected(key, "true or false");
        return v->get<bool>();
    }
    std::string text(const char* key, const char* otherwise) {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!v->is_string()) expected(key, "a string");
        return v->get<std::string>();
    }
    /// One of some names.
    template <class T, std::size_t N>
    T choice(const char* key, T otherwise, const std::array<std::pair<const char*, T>, N>& names) {
        const Json* v = find(key);
        if (!v) return otherwise;
        std::vector<Json> values;
        for (const auto& [name, value] : names) {
            if (*v == name) return value;
            values.emplace_back(name);
        }
        expected(key, alternatives(values));
    }
    std::vector<index_t> integers(const char* key) {
        std::vector<index_t> out;
        const Json* v = find(key);
        if (!v || !v->is_array() || v->empty() || v->size() > 16) expected(key, "a list of positive integers");
        for (const Json& x : *v) {
            if (!in_range(x, 1, largest)) expected(key, "a list of positive integers");
            out.push_back(x.get<index_t>());
        }
        return out;
    }
    /// For each of `count` block types: true if it is `with` attention, false if `without`.
    std::vector<bool> attention(const char* key, std::size_t count, const char* with, const char* without) {
        const std::string wanted = std::to_string(count) + " of '" + with + "' and '" + without + "'";
        const Json* v = find(key);
        if (!v || !v->is_array() || v->size() != count) expected(key, wanted);
        std::vector<bool> out;
        for (const Json& x : *v) {
            if (x != with && x != without) expected(key, wanted);
            out.push_back(x == with);
        }
        return out;
    }

    bool given(const char* key) { return find(key) != nullptr; }
    /// Throws unless the key has one of these values.
    void one_of(const char* key, const std::vector<Json>& values) {
        const Json* v = find(key);
        if (v && std::ranges::find(values, *v) == values.end()) expected(key, alternatives(values));
    }
    void only(const char* key, const Json& value) { one_of(key, std::vector<Json>(1, value)); }
    void only_null(const char* key) {
        if (find(key)) expected(key, "null");
    }
    /// For a key whose null, unlike other keys', is a value of its own: false where it is null, true where it is absent
    /// or has the one value this library does.
    bool unless_null(const char* key, const Json& value) {
        const Json* v = find(key);
        if (v && *v != value) expected(key, shown(value) + " or null");
        return v || !json_->contains(key);
    }
    /// A value, or a list of it for every one of `blocks`, which diffusers takes as the same. Other lists are left for
    /// the reader of the key to refuse.
    void unfold(const char* key, std::size_t blocks) {
        const auto it = json_->find(key);
        if (it == json_->end() || !it->is_array() || it->size() != blocks) return;
        if (std::ranges::all_of(*it, [&](const Json& x) { return x == it->front(); })) unfolded_[key] = it->front();
    }
    /// Keys that change nothing here, whatever their value.
    void without_effect(std::initializer_list<const char*> keys) { seen_.insert(keys.begin(), keys.end()); }

    /// Throws for a key that nothing above has named, unless it is null or, as those that libraries add about the file
    /// itself, begins with '_'.
    void done() const {
        for (const auto& [key, value] : json_->items())
            if (!seen_.contains(key) && !key.starts_with('_') && !value.is_null())
                fail(source_ + ": the key " + quote(key) + " (" + shown(value) +
                     ") is unknown, and so is its effect, expected no such key: delete it if it changes nothing");
    }

    [[noreturn]] void expected(const std::string& key, const std::string& what) const {
        const auto it = json_->find(key);
        fail(source_ + ": '" + key + "' is " + (it == json_->end() || it->is_null() ? "missing" : shown(*it)) +
             ", expected " + what);
    }

private:
    static constexpr index_t largest = 1 << 20;

    static bool in_range(const Json& v, std::int64_t first, std::int64_t last) {
        return v.is_number_integer() && v.get<std::int64_t>() >= first && v.get<std::int64_t>() <= last;
    }
    /// `"a", "b" or "c"`
    static std::string alternatives(const std::vector<Json>& values) {
        std::string out;
        for (std::size_t i = 0; i < values.size(); ++i)
            out += (i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") + shown(values[i]);
        return out;
    }
    const Json* find(const char* key) {
        seen_.insert(key);
        if (const auto it = unfolded_.find(key); it != unfolded_.end()) return &it->second;
        const auto it = json_->find(key);
        return it == json_->end() || it->is_null() ? nullptr : &*it;
    }

    const Json* json_;
    std::string source_;
    std::set<std::string, std::less<>> seen_;
    std::map<std::string, Json, std::less<>> unfolded_;
};

}  // namespace inlay::inline INLAY_ABI::io
