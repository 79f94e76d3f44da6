// SPDX-License-Identifier: Apache-2.0
/// A program: prepared kernels of one target, in order, each with the name of the layer it belongs to. Running it
/// checks and allocates nothing.
#pragma once

#include <inlay/exec/prepare.hpp>
#include <inlay/report/explain.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI {

template <class Target>
class Program {
public:
    /// Prepares K and appends it. Arguments as for `prepare<K>`. Errors name the layer.
    template <class K, class... Args>
    void add(std::string layer, const Args&... args) {
        try {
            auto kernel = prepare<K>(args...);
            if constexpr (!std::is_same_v<decltype(kernel), detail::NotPrepared>)
                steps_.push_back(std::make_unique<Step<decltype(kernel), K>>(std::move(layer), kernel));
        } catch (const Error& e) {
            throw Error(std::string(e.what()) + " (in " + layer + ")");
        }
    }
    void run(Target& target) const {
        for (const auto& s : steps_) s->run(target);
    }
    /// Bytes of scratch memory that a run takes, as of a prepared kernel: the kernels follow each other and share it.
    std::size_t workspace_bytes(Target& target) const { return target.workspace_bytes(*this); }
    /// With scratch memory of the caller's.
    void run(Target& target, const Workspace& workspace) const {
        detail::demand_workspace([] { return Text("a program"); }, workspace, workspace_bytes(target));
        [[maybe_unused]] const auto lent = target.lend(workspace);
        run(target);
    }
    /// A report of each kernel, for `explain`.
    std::vector<KernelReport> launches() const {
        std::vector<KernelReport> l;
        for (const auto& s : steps_) {
            l.push_back(s->describe());
            l.back().layer = s->layer;
        }
        return l;
    }
    std::size_t size() const { return steps_.size(); }

private:
    struct AnyStep {
        std::string layer;
        explicit AnyStep(std::string l) : layer(std::move(l)) {}
        virtual ~AnyStep() = default;
        virtual void run(Target&) const = 0;
        virtual KernelReport describe() const = 0;
    };
    template <class P, class K>
    struct Step final : AnyStep {
        P kernel;
        Step(std::string l, const P& k) : AnyStep(std::move(l)), kernel(k) {}
        void run(Target& t) const override { kernel.run(t); }
        KernelReport describe() const override { return inlay::describe<K>(kernel); }
    };
    std::vector<std::unique_ptr<AnyStep>> steps_;
};

}  // namespace inlay::inline INLAY_ABI
