// SPDX-License-Identifier: Apache-2.0
/// Maps of the frames against their coordinates, written out.
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

static_assert(TensorRowMap<TensorRows<3>> && !WindowRowMap<TensorRows<3>>);
static_assert(WindowRowMap<Taps<Filter<3>>> && !PhasedRowMap<Taps<Filter<3>>>);
static_assert(PhasedRowMap<PhaseTaps> && !TensorRowMap<PhaseTaps>);
static_assert(!RowMap<int>);

TEST(RowMap, TapsOfAWindowAreThePixelsAroundTheOutput) {
    using Win = Filter<3, 3, 2, 1>;
    const Taps<Win> map{{{2, 3, 4, 1}}, 6, 8, 5};
    for (index_t m = 0; m < 2 * 3 * 4; ++m)
        for (index_t tap = 0; tap < 9; ++tap) {
            Extents<4> c{};
            const index_t y = m / 4 % 3 * 2 + tap / 3 - 1, x = m % 4 * 2 + tap % 3 - 1;
            EXPECT_EQ(map.at(map.row(1, m), tap, c), y >= 0 && y < 6 && x >= 0 && x < 8);
            EXPECT_EQ(c, (Extents<4>{{m / 12, y, x, 5}}));     // channels of the second group
        }
}
TEST(RowMap, TapsOfAPhaseAreThePixelsThatItsOutputSees) {
    const PhaseTaps map{{{2, 3, 4, 1}}, 3, 4, 5};
    for (index_t phase = 0; phase < 4; ++phase)
        for (index_t m = 0; m < 2 * 3 * 4; ++m)
            for (index_t tap = 0; tap < 4; ++tap) {
                Extents<4> c{};
                // The lines of the upsampled image that a window of 3 at 2y + p covers are of these two.
                const index_t y = m / 4 % 3 + phase / 2 - 1 + tap / 2, x = m % 4 + phase % 2 - 1 + tap % 2;
                EXPECT_EQ(map.at(map.row(phase, m), tap, c), y >= 0 && y < 3 && x >= 0 && x < 4);
                EXPECT_EQ(c, (Extents<4>{{m / 12, y, x, 0}}));
            }
    const PhasePixels place{{{2, 3, 4, 1}}};
    EXPECT_EQ(place(index_t(3), index_t(17)), (Extents<4>{{1, 3, 3, 0}}));
}

}  // namespace
