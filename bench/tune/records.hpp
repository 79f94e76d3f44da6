// SPDX-License-Identifier: Apache-2.0
/// Measurements of the tuner, as lines of a CSV file: one schedule of one product, and its time. Lines that begin with
/// # say where they come from.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/plan/gemm/wgmma.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace inlay_bench::tune {

using namespace inlay;

struct Record {
    WgmmaShape shape;
    int m = 0, n = 0;               ///< block tile
    bool ping_pong = false;
    int parts = 1;                  ///< of the sum
    double us = 0;
};

inline bool same_schedule(const Record& a, const Record& b) {
    return a.m == b.m && a.n == b.n && a.ping_pong == b.ping_pong && a.parts == b.parts;
}

inline constexpr std::string_view record_columns = "input,sums,batch,images,height,width,taps,n,k,tile,parts,us";
inline constexpr std::array<std::string_view, 4> input_names{"copied", "evaluated", "halo", "evaluated_halo"};

inline std::string_view name(WgmmaInput i) { return input_names[static_cast<std::size_t>(i)]; }
inline std::string tile_name(int m, int n, bool ping_pong) {
    return std::to_string(m) + "x" + std::to_string(n) + (ping_pong ? "a" : "");
}
inline std::string text(const WgmmaShape& s) {
    std::string t(name(s.input));
    t += s.pairs ? ",2" : ",1";
    for (const index_t x : {s.batch, s.images, s.height, s.width, s.taps, s.n, s.k}) t += "," + std::to_string(x);
    return t;
}
inline std::string text(const Record& r) {
    char us[32];
    std::snprintf(us, sizeof us, ",%d,%.3f", r.parts, r.us);
    return text(r.shape) + "," + tile_name(r.m, r.n, r.ping_pong) + us;
}

namespace detail {

template <class T>
T number(std::string_view s, const std::string& where) {
    T x{};
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
    require(error == std::errc() && end == s.data() + s.size(), where, ": '", std::string(s), "' is no number");
    return x;
}

}  // namespace detail

/// A line of `record_columns`; `where`: what errors begin with.
inline Record parse_record(std::string_view line, const std::string& where) {
    std::array<std::string_view, 12> field;
    std::size_t fields = 0;
    for (std::string_view rest = line;; ++fields) {
        const auto comma = rest.find(',');
        if (fields < field.size()) field[fields] = rest.substr(0, comma);
        if (comma == rest.npos) break;
        rest.remove_prefix(comma + 1);
    }
    require(++fields == field.size(), where, ": ", fields, " fields where 12 are expected");
    const auto positive = [&](std::string_view s) {
        const auto x = detail::number<index_t>(s, where);
        require(x > 0, where, ": '", std::string(s), "' is not positive");
        return x;
    };
    Record r;
    std::size_t input = 0;
    while (input < input_names.size() && input_names[input] != field[0]) ++input;
    require(input < input_names.size(), where, ": '", std::string(field[0]), "' is no input");
    require(field[1] == "1" || field[1] == "2", where, ": sums of a column are 1 or 2, not '", std::string(field[1]),
            "'");
    r.shape = {static_cast<WgmmaInput>(input), field[1] == "2",     positive(field[2]), positive(field[3]),
               positive(field[4]),              positive(field[5]), positive(field[6]), positive(field[7]),
               positive(field[8])};
    std::string_view tile = field[9];
    if ((r.ping_pong = tile.ends_with('a'))) tile.remove_suffix(1);
    const auto by = tile.find('x');
    require(by != tile.npos, where, ": '", std::string(field[9]), "' is no tile");
    r.m = static_cast<int>(positive(tile.substr(0, by)));
    r.n = static_cast<int>(positive(tile.substr(by + 1)));
    r.parts = static_cast<int>(positive(field[10]));
    r.us = detail::number<double>(field[11], where);
    require(std::isfinite(r.us) && r.us > 0, where, ": '", std::string(field[11]), "' is no time");
    return r;
}

struct Records {
    std::vector<std::string> notes;     ///< lines that begin with #, without it
    std::vector<Record> all;
};
/// A whole file; `name`: what errors call it.
inline Records read_records(std::istream& in, const std::string& name) {
    Records r;
    bool named = false;
    std::string line;
    for (int i = 1; std::getline(in, line); ++i) {
        const std::string where = name + ":" + std::to_string(i);
        if (line.starts_with("# ")) {
            r.notes.push_back(line.substr(2));
        } else if (!named) {
            require(line == record_columns, where, ": the columns are not ", std::string(record_columns));
            named = true;
        } else {
            r.all.push_back(parse_record(line, where));
        }
    }
    require(named, name, ": no line names the columns");
    return r;
}

}  // namespace inlay_bench::tune
