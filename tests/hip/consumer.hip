// SPDX-License-Identifier: Apache-2.0
/// A program of one file, as a user writes it: two kernels on the first device, and the sentence of an error where it
/// cannot be used.
#include <inlay/exec/hip.hpp>
#include <inlay/inlay.hpp>

#include <cstdio>
#include <exception>

using namespace inlay;

struct twice : Elementwise<Add<Buf<0>, Buf<0>>> {};
struct rows : Softmax<> {};

int main() {
    try {
        Hip gpu;
        const auto memory = gpu.allocate(2 * 64 * 320 * sizeof(fp16));
        fp16* const x = static_cast<fp16*>(memory.data());
        gpu.zero(x, 2 * 64 * 320 * sizeof(fp16));
        prepare<twice>(tensor(x + 64 * 320, 64, 320), tensor(x, 64, 320)).run(gpu);
        prepare<rows>(tensor(x, 64, 320), tensor(x + 64 * 320, 64, 320)).run(gpu);
        gpu.synchronize();
        std::puts("ran on a device");
    } catch (const std::exception& error) {
        std::puts(error.what());
    }
}
