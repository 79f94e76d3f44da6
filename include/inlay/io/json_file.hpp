// SPDX-License-Identifier: Apache-2.0
/// JSON files: configs, vocabularies, indices of shards.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/io/mapped_file.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

using Json = nlohmann::json;

/// `source` opens the error.
inline Json parse_json(std::string_view text, const std::string& source) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& e) {
        fail(source + " is not valid JSON at its byte " + std::to_string(e.byte));
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

}  // namespace inlay::inline INLAY_ABI::io
