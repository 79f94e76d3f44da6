// SPDX-License-Identifier: Apache-2.0
/// Plans of prepared kernels: what a target launches for each, decided once and kept until it is launched again.
#pragma once

#include <inlay/core/list.hpp>
#include <inlay/tile/gpu/runtime/launch.hpp>
#include <inlay/tile/gpu/runtime/scratch.hpp>

#include <cstddef>
#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The launches of a kernel's run. Without enough memory for its needs it is incomplete: they are all that it has.
struct LaunchPlan {
    ScratchNeeds needs;
    bool complete = true;
    List<PlannedLaunch> launches;
};

/// A prepared kernel, and the memory that its launches have: the launcher's own where it is null.
struct PlanName {
    std::uint64_t identity;
    void (*frame)(const void*, void*);      ///< two libraries may count identities of their own
    const void* memory = nullptr;
    std::size_t bytes = 0;
    friend bool operator==(const PlanName&, const PlanName&) = default;
};

/// Plans by name, the `most` newest: one more ends the oldest. A kernel that is prepared for one run leaves a plan of 1
/// to 5 KB that is of no use again, so there is a bound; programs have as many plans as kernels and run them in order,
/// so it is far above theirs (all of a Stable Diffusion pipeline's: about 1,500).
class LaunchPlans {
public:
    explicit LaunchPlans(int most = 4096) : most_(most) {}
    LaunchPlans(const LaunchPlans&) = delete;
    LaunchPlans& operator=(const LaunchPlans&) = delete;
    ~LaunchPlans() {
        for (int i = 0; i < size_; ++i) delete entries_[i];
        delete[] entries_;
        delete[] chains_;
    }

    int size() const { return size_; }
    /// Null where there is none. Valid until the next `keep`.
    LaunchPlan* find(const PlanName& name) const {
        if (size_ == 0) return nullptr;
        for (Entry* e = chains_[chain(name)]; e; e = e->next)
            if (e->name == name) return &e->plan;
        return nullptr;
    }
    /// Of a name that is not there yet.
    LaunchPlan& keep(const PlanName& name, LaunchPlan plan) {
        if (!chains_) chains_ = new Entry*[chains]{};
        if (!entries_) entries_ = new Entry*[static_cast<std::size_t>(most_)]{};
        Entry* const entry = new Entry{name, std::move(plan), nullptr};
        if (size_ < most_) ++size_;
        else end(entries_[next_]);
        entries_[next_] = entry;
        next_ = (next_ + 1) % most_;
        Entry*& first = chains_[chain(name)];
        entry->next = first;
        first = entry;
        return entry->plan;
    }

private:
    struct Entry {
        PlanName name;
        LaunchPlan plan;
        Entry* next;    // of its chain
    };
    static constexpr int chain_bits = 12;
    static constexpr std::size_t chains = std::size_t(1) << chain_bits;
    static std::size_t chain(const PlanName& name) {
        const std::uint64_t memory = reinterpret_cast<std::uintptr_t>(name.memory) >> 8;
        return (name.identity + 0x10001 * memory) * 0x9e3779b97f4a7c15u >> (64 - chain_bits);
    }
    void end(Entry* oldest) {
        Entry** at = &chains_[chain(oldest->name)];
        while (*at != oldest) at = &(*at)->next;
        *at = oldest->next;
        delete oldest;
    }

    int most_, size_ = 0, next_ = 0;
    Entry** entries_ = nullptr;     // a ring, the oldest at next_ once it is full
    Entry** chains_ = nullptr;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
