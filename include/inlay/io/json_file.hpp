// SPDX-License-Identifier: Apache-2.0
/// JSON files: configs, vocabularies, indices of shards. Python writes numbers that JSON lacks (NaN, Infinity,
/// -Infinity); they are read as what they are.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/io/mapped_file.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

using Json = nlohmann::json;

namespace detail {

/// Text whose NaN and infinities are replaced by nulls, which the parser accepts. The nulls of a document come in the
/// order of the text, and `values` has their numbers in that order.
struct PlainJson {
    std::string text;
    std::vector<Json> values;             ///< of every null, those of the text too
    std::vector<std::size_t> lengthened;  ///< ends of nulls in `text` that are one byte longer than what they replace

    explicit PlainJson(std::string_view given) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const std::pair<std::string_view, Json> words[] = {
            {"null", nullptr}, {"NaN", std::nan("")}, {"Infinity", infinity}, {"-Infinity", -infinity}};
        text.reserve(given.size() + 16);
        bool quoted = false;
        while (!given.empty()) {
            const auto* word =
                quoted ? std::end(words)
                       : std::ranges::find_if(words, [&](const auto& w) { return given.starts_with(w.first); });
            if (word != std::end(words)) {
                values.push_back(word->second);
                text.append("null").append(std::max<std::size_t>(word->first.size(), 4) - 4, ' ');
                if (word->first.size() < 4) lengthened.push_back(text.size());
                given.remove_prefix(word->first.size());
                continue;
            }
            const std::size_t taken = quoted && given[0] == '\\' && given.size() > 1 ? 2 : 1;
            quoted ^= given[0] == '"';
            text += given.substr(0, taken);
            given.remove_prefix(taken);
        }
    }
    /// The place in the given text of byte `at` of `text`, both counted from 1.
    std::size_t given_byte(std::size_t at) const {
        return at -
               static_cast<std::size_t>(std::ranges::count_if(lengthened, [&](std::size_t end) { return end <= at; }));
    }
    Json parse() const {
        std::size_t next = 0;
        return Json::parse(text, [&](int, Json::parse_event_t event, Json& value) {
            if (event == Json::parse_event_t::value && value.is_null()) value = values[next++];
            return true;
        });
    }
};

}  // namespace detail

/// `source` opens the error.
inline Json parse_json(std::string_view text, const std::string& source) {
    utf8_text(text, source);
    const bool plain = text.find("NaN") == text.npos && text.find("Infinity") == text.npos;
    const detail::PlainJson rewritten(plain ? "" : text);
    try {
        return plain ? Json::parse(text) : rewritten.parse();
    } catch (const Json::parse_error& e) {
        fail(source + " is not valid JSON at its byte " +
             std::to_string(plain ? e.byte : rewritten.given_byte(e.byte)));
    } catch (const Json::out_of_range&) {
        fail(source + " holds a number that is too large");
    }
}

/// A JSON object from a file. Throws when the file cannot be read, is no JSON or holds something else.
inline Json read_json_object(const std::filesystem::path& path) {
    Json json = parse_json(MappedFile(path).text(), quote(path));
    require(json.is_object(), quote(path), " holds a JSON ", json.type_name(), ", expected an object");
    return json;
}

/// A value as it stands in a file, on one line and at most 80 characters long.
inline std::string shown(const Json& value) {
    if (value.is_number_float() && !std::isfinite(value.get<double>()))
        return std::isnan(value.get<double>()) ? "NaN" : value.get<double>() > 0 ? "Infinity" : "-Infinity";
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    constexpr std::size_t longest = 80;
    return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

}  // namespace inlay::inline INLAY_ABI::io
