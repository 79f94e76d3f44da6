// SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

#include "../program/nearest.hpp"
#include "../program/numbers.hpp"

#include <inlay/core/error.hpp>
#include <inlay/io/atomic_file.hpp>
#include <inlay/io/json_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <random>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace {

using inlay::fail;
using inlay::require;
using inlay::io::Json;

constexpr std::size_t longest_line = 1 << 20, most_waiting = 1024;

void say(const Json& event) { std::cout << event.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl; }
Json event(const char* name, const Json& id) { return {{"event", name}, {"id", id}}; }

void require_keys(const Json& object, const std::vector<std::string>& known) {
    for (const auto& [key, value] : object.items())
        if (std::ranges::find(known, key) == known.end())
            fail("a request has no \"" + key + "\"" + program::suggestion(key, known));
}
std::string text_of(const Json& object, const char* key, const std::string& otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    require(found->is_string(), "\"", key, "\" is ", found->dump(), ", expected a text");
    return found->get<std::string>();
}

Drawing drawing_of(const Json& image, const Options& o) {
    require(image.is_object(), "an image is ", image.dump(), ", expected {\"prompt\": ..., \"out\": ...}");
    require_keys(image, {"id", "prompt", "negative", "seed", "out"});
    require(image.contains("prompt"), "\"prompt\" is missing");
    require(image.contains("out"), "\"out\" is missing: the PNG to write");
    Drawing d{text_of(image, "prompt", ""), text_of(image, "negative", o.negative), *o.seed, text_of(image, "out", "")};
    if (const auto seed = image.find("seed"); seed != image.end()) {
        require(seed->is_number_unsigned() || *seed == -1, "\"seed\" is ", seed->dump(),
                ", expected -1 (random) or a whole number from 0 to ", UINT64_MAX);
        d.seed = seed->is_number_unsigned() ? seed->get<std::uint64_t>() : std::random_device{}();
    }
    inlay::io::require_writable(d.out);
    return d;
}

Request request_of(const Json& line, const Options& o) {
    Request r{line.at("id").dump(), {}};
    const auto images = line.find("images");
    if (images == line.end()) {
        r.drawings.push_back(drawing_of(line, o));
        return r;
    }
    require_keys(line, {"id", "images"});
    require(images->is_array() && !images->empty() && images->size() <= static_cast<std::size_t>(o.batch),
            "\"images\" is ", images->is_array() ? std::to_string(images->size()) + " images" : images->dump(),
            ", expected an array of 1 to ", o.batch, " (--batch)");
    for (const Json& image : *images) r.drawings.push_back(drawing_of(image, o));
    return r;
}

}  // namespace

struct Requests::Input {
    int file = 0;
    bool ended = false;
    bool skips = false;  // the rest of a line that is too long
    std::string rest;    // of a line that has not ended
};

Requests::Requests(const Options& options) : options_(options), input_(std::make_unique<Input>()) {
    if (options.requests != "-") {
        input_->file = ::open(options.requests.c_str(), O_RDONLY | O_CLOEXEC);
        require(input_->file >= 0, "--requests: cannot open '", options.requests.string(), "': ",
                std::strerror(errno));
    }
    say({{"event", "ready"}, {"batch", options.batch}, {"steps", options.steps}, {"size", options.size}});
}
Requests::~Requests() {
    if (input_->file > 0) ::close(input_->file);
}

std::optional<Request> Requests::next() {
    current_.reset();
    read(false);
    while (waiting_.empty() && !input_->ended && !interrupted) read(true);
    if (interrupted) throw Interrupted("inlay: stopped while waiting for requests");
    if (waiting_.empty()) return {};
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    stop_ = false;
    steps_ = 0;
    return current_;
}

bool Requests::progress(int done, int total) {
    steps_ = done;
    Json e = event("progress", Json::parse(current_->id));
    e["done"] = done;
    e["total"] = total;
    say(e);
    read(false);
    return !stop_ && !interrupted;
}
void Requests::done(double seconds) {
    Json e = event("done", Json::parse(current_->id));
    for (const Drawing& d : current_->drawings) e["images"].push_back({{"out", d.out.string()}, {"seed", d.seed}});
    e["seconds"] = seconds;
    say(e);
}
void Requests::cancelled() {
    Json e = event("cancelled", Json::parse(current_->id));
    e["done"] = steps_;
    say(e);
}
void Requests::failed(const std::string& sentence) {
    Json e = event("error", Json::parse(current_->id));
    e["error"] = sentence;
    say(e);
}

void Requests::read(bool wait) {
    Input& in = *input_;
    while (!in.ended) {
        pollfd ready{in.file, POLLIN, 0};
        if (::poll(&ready, 1, wait ? -1 : 0) <= 0) return;  // nothing, or a signal
        char block[65536];
        const ssize_t n = ::read(in.file, block, sizeof(block));
        if (n < 0 && errno == EINTR) return;
        require(n >= 0, "--requests: cannot read '", options_.requests.string(), "': ", std::strerror(errno));
        in.ended = n == 0;
        in.rest.append(block, static_cast<std::size_t>(n));
        if (in.ended && !in.rest.empty()) in.rest += '\n';
        std::size_t begin = 0;
        for (std::size_t end; (end = in.rest.find('\n', begin)) != in.rest.npos; begin = end + 1)
            if (!std::exchange(in.skips, false)) take(in.rest.substr(begin, end - begin));
        in.rest.erase(0, begin);
        if (in.rest.size() > longest_line) {
            if (!std::exchange(in.skips, true)) take(in.rest);
            in.rest.clear();
        }
        if (wait && !waiting_.empty()) return;
    }
}

void Requests::take(const std::string& text) {
    if (text.find_first_not_of(" \t\r") == text.npos) return;
    Json id;
    try {
        require(text.size() <= longest_line, "a line is longer than ", longest_line, " bytes");
        const Json line = Json::parse(text, nullptr, false);
        require(!line.is_discarded() && line.is_object(), "a line is no JSON object: ", text.substr(0, 60));
        if (const auto named = line.find("cancel"); named != line.end()) {
            require_keys(line, {"cancel"});
            if (current_ && current_->id == named->dump()) stop_ = true;
            const auto gone = std::ranges::find(waiting_, named->dump(), &Request::id);
            if (gone == waiting_.end()) return;  // it runs, or it was done before this line came
            Json e = event("cancelled", *named);
            e["done"] = 0;
            waiting_.erase(gone);
            return say(e);
        }
        require(line.contains("id"), "\"id\" is missing: a text or a number");
        require(line["id"].is_string() || line["id"].is_number_integer(), "\"id\" is ", line["id"].dump(),
                ", expected a text or a whole number");
        id = line["id"];
        const bool known = (current_ && current_->id == id.dump()) ||
                           std::ranges::find(waiting_, id.dump(), &Request::id) != waiting_.end();
        require(!known, "\"id\" is ", id.dump(), ", which another request has that is not done");
        require(waiting_.size() < most_waiting, most_waiting, " requests wait already");
        waiting_.push_back(request_of(line, options_));
    } catch (const std::exception& e) {
        Json said = event("error", id);
        said["error"] = e.what();
        say(said);
    }
}
