// SPDX-License-Identifier: Apache-2.0
/// Windows of 3×3 at stride 1: tiles that read A from halo tiles, as it lies or evaluated.
#include "../cuda/target.hpp"
#include "filter.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

template <class T>
using Copied = tune::Schedules<T, wgmma_windows>;
using Evaluated = tune::Schedules<fp16, wgmma_windows, false, true>;

}  // namespace

int main(int argc, char** argv) {
    Bench b("tune_windows", argc, argv);
    bool right = true;
    const index_t ragged[][5] = {{1, 16, 16, 64, 64}, {2, 8, 8, 64, 160},  {2, 8, 8, 640, 320}, {3, 7, 10, 72, 40},
                                 {3, 8, 8, 128, 80},  {1, 5, 3, 128, 168}, {2, 33, 17, 96, 88}, {2, 16, 16, 640, 328},
                                 {2, 32, 32, 64, 4},  {5, 4, 4, 320, 3}};
    for (const auto& s : ragged) {
        right = tune::windows<Filter<3>, fp16>(b, Copied<fp16>{}, s[0], s[1], s[2], s[3], s[4], nullptr) && right;
        right = tune::windows<Filter<3>, fp16>(b, Evaluated{}, s[0], s[1], s[2], s[3], s[4], nullptr) && right;
    }
    right = tune::windows<Filter<3, 3, 1, 0, 0>, fp16>(b, Copied<fp16>{}, 2, 20, 19, 64, 64, nullptr) && right;
    right = tune::windows<Filter<3, 3, 1, 0, 2>, fp16>(b, Copied<fp16>{}, 2, 20, 19, 64, 64, nullptr) && right;
    right = tune::windows<Filter<3>, bf16>(b, Copied<bf16>{}, 2, 16, 16, 128, 168, nullptr) && right;
    std::printf("windows: %s\n", right ? "all right" : "SOMETHING IS WRONG");
    if (b.quick()) return right ? 0 : 1;
    tune::Log log(b.out() + "/tune_windows.csv", b.provenance() + "; 3x3 windows with a bias");
    for (const Shape& s : b.shapes("conv3x3")) {
        if (s.key[4] != 1 || s.key[2] % 8 != 0) continue;
        const auto tune = [&](auto schedules) {
            return tune::windows<Filter<3>, fp16>(b, schedules, tune::images_of(s), s.key[0], s.key[1], s.key[2],
                                                  s.key[3], &log);
        };
        right = tune(Copied<fp16>{}) && right;
        right = tune(Evaluated{}) && right;
    }
    log.write();
    return right ? 0 : 1;
}
