// SPDX-License-Identifier: Apache-2.0
/// The interface of the translation units of each storage type and target to the program. No type of Inlay's passes
/// between units of host and device code: those differ by the architectures a unit is compiled for.
#pragma once

#include "../program/gpus.hpp"
#include "options.hpp"

#include <inlay/exec/host/paths.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Tokens that a GPU chooses itself, several a launch (docs/persistent.md).
class Launches {
public:
    virtual ~Launches() = default;
    /// Begins each text with this prompt, which was appended.
    virtual void begin(std::span<const std::int32_t> prompt) = 0;
    /// The n tokens [rows, n] behind each text's last one, which was not appended; valid until the next call.
    virtual std::span<const std::int32_t> follow(std::span<const std::int32_t> last, int n) = 0;
};

/// A batch of texts in one storage type on one target.
class Texts {
public:
    virtual ~Texts() = default;
    /// Appends tokens to each row, perhaps none to some.
    virtual void append(const std::vector<std::vector<std::int32_t>>& rows) = 0;
    /// Of the vocabulary, behind the last token of a row; valid until the next `append`.
    virtual std::span<const float> logits(int row) const = 0;
    /// Of texts by persistent launches, else null.
    virtual Launches* launches() { return nullptr; }
    /// Seconds of a token's kernels alone, once.
    virtual double replay() = 0;
    /// The same of the prompt's last part, with the logits behind it.
    virtual double replay_prompt() = 0;
    /// Tokens of a row that a part of the prompt has.
    virtual long long chunk() const = 0;
    /// "17 kernels".
    virtual std::string kernels() const = 0;
    /// Bytes: "weights 248 MB, everything else 80 MB".
    virtual std::string memory() const = 0;
};

/// `capacity`: tokens of a row, prompt and result.
using Open = std::unique_ptr<Texts>(const Options&, int capacity);
Open open_f32_cuda, open_f16_cuda, open_bf16_cuda;

/// Every kernel of a token, from shapes alone: no weights are read.
using Explain = std::string(const Options&);

/// Executor of the CPU, of which a portable program has one for each path (docs/host.md).
struct HostExecutor {
    const char* isa;                     ///< its instruction set, as `explain` names it
    Open *open_f32, *open_f16, *open_bf16;
    Explain *explain_f32, *explain_f16, *explain_bf16;
};
INLAY_HOST_PATHS(HostExecutor, host_executor)

/// Executor of a vendor's GPUs, as far as this build has it.
struct GpuExecutors {
    program::Gpus gpus;
    Open *open_f32 = nullptr, *open_f16 = nullptr, *open_bf16 = nullptr;
};
GpuExecutors cuda_executors();
