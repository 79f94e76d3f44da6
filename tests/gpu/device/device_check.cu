// SPDX-License-Identifier: Apache-2.0
/// Prints whether device 0 can be used, or the sentence that says why not.
#include <inlay/tile/cuda/runtime/devices.hpp>

#include <cstdio>

int main() {
    try {
        inlay::on_gpu::usable_device(0);
        std::puts("usable");
    } catch (const inlay::Error& e) {
        std::puts(e.what());
    }
    return 0;
}
