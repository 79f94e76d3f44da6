// SPDX-License-Identifier: Apache-2.0
/// A batch of texts in one storage type on one target. Each pair is one translation unit.
#pragma once

#include "executors.hpp"

#include <inlay/io/weights/gpt2.hpp>
#include <inlay/model/gpt2/session.hpp>
#include <inlay/model/networks.hpp>

#include <utility>

template <inlay::Storage T, class Target>
class TextsOn : public Texts {
public:
    /// `where`: of the target's constructor, a GPU's number or the CPU's threads.
    TextsOn(int where, const Options& o, int capacity)
        : target_(where), checkpoint_(inlay::io::open_gpt2(o.model)),
          loaded_(inlay::model::Loaded<inlay::model::Gpt2<T>, Target>::from(&checkpoint_.weights, target_,
                                                                            checkpoint_.config, "")),
          session_(target_, loaded_.network, {.batch = o.batch, .capacity = capacity, .chunk = o.chunk}),
          begun_(target_), ended_(target_) {}

    void append(const std::vector<std::vector<std::int32_t>>& rows) override { session_.append(rows); }
    std::span<const float> logits(int row) const override { return session_.logits(row); }
    double replay() override {
        return seconds([&] { session_.replay(); });
    }
    double replay_prompt() override {
        return seconds([&] { session_.replay_prompt(); });
    }
    long long chunk() const override { return session_.options().chunk; }
    std::string kernels() const override { return std::to_string(session_.token_launches()) + " kernels"; }
    std::string memory() const override {
        return "weights " + std::to_string(loaded_.memory.size() >> 20) + " MB, everything else " +
               std::to_string(session_.bytes() >> 20) + " MB";
    }

protected:
    /// Of `run`, behind one that is not timed where the target works while the host goes on: its launch takes no time.
    template <class F>
    double seconds(const F& run) {
        if constexpr (Target::Mark::ahead) run();
        begun_.set();
        run();
        ended_.set();
        ended_.wait();
        return ended_.seconds_since(begun_);
    }

    Target target_;
    inlay::io::Gpt2Checkpoint checkpoint_;
    inlay::model::Loaded<inlay::model::Gpt2<T>, Target> loaded_;
    inlay::model::Gpt2Session<T, Target> session_;

private:
    typename Target::Mark begun_, ended_;
};
