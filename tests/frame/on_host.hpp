// SPDX-License-Identifier: Apache-2.0
/// The CPU as the executor under test.
#pragma once

#include "array.hpp"

#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>

namespace inlay_test {

inline inlay::Host& executor(int threads = 2) {
    static inlay::Host one(1), two(2), three(3);
    return threads == 1 ? one : threads == 2 ? two : three;
}
inline void wait() {}

/// Runs K on these tensors.
template <class K, class Target, class... Args>
void execute(Target& target, const Args&... args) {
    inlay::prepare<K>(args...).run(target);
}

/// An array where the executor reads and writes it; `fetch` brings back what was written.
template <Storage T, int R>
class Placed {
public:
    explicit Placed(Array<T, R>& a) : array_(a) {}
    Tensor<T, R> operator*() { return *array_; }
    void upload() {}
    void fetch() {}

private:
    Array<T, R>& array_;
};

/// True if matrix products take operands of the storage type, and not fp32 whatever that is.
template <class T>
inline constexpr bool rounds_operands = inlay::host_multiplies_bf16 && std::is_same_v<T, inlay::bf16>;
/// The errors of PyTorch's kernels on this device.
inline constexpr const char* torch_errors = "kernel_errors.json";

enum class Same { bits, accuracy };

/// f(target, what must be the same, how it runs) for each way to run a kernel besides that on `executor(1)`.
template <class F>
void every_other_way(F&& f) {
    f(executor(2), Same::bits, "with 2 threads");
    f(executor(3), Same::bits, "with 3 threads");
    f(executor(3), Same::bits, "when run again");
}

}  // namespace inlay_test
