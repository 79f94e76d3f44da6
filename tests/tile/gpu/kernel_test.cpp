// SPDX-License-Identifier: Apache-2.0
/// Bodies: as kernels, under a persistent scheduler, and inside another kernel.
#include "gpu/emulated/check.hpp"

#include <inlay/tile/gpu/kernel.hpp>

namespace emulator_test {

/// Reverses 32 floats a tile, through shared memory; on request one float behind its end.
struct ReverseBody {
    struct Arguments {
        float* to;
        int tiles, behind;
    };
    static constexpr int threads = 32, min_blocks = 0;
    template <class Tiles>
    static __device__ void run(const Arguments& a, Tiles work, char* shared) {
        float* const x = reinterpret_cast<float*>(shared) + a.behind;
        float* const row = a.to + 32 * work.tile();
        x[threadIdx.x] = row[threadIdx.x];
        block_sync();
        row[threadIdx.x] = x[31 - threadIdx.x];
        block_sync();
    }
};
/// Runs another body over all tiles.
template <class Body>
struct AllTilesBody {
    using Arguments = typename Body::Arguments;
    using Scheduler = PersistentTiles;
    static constexpr int threads = Body::threads, min_blocks = 2, alignment = 256;
    static __device__ void run(const Arguments& a, PersistentTiles tiles, char* shared) {
        for (int tile = tiles.first(); tile < a.tiles; tile += tiles.stride()) Body::run(a, OneTile{tile}, shared);
    }
};
/// Is empty in the image of sm_90a, as which the emulator runs this test.
struct PortableBody : ReverseBody {
    static constexpr Images images = Images::without_sm90a;
};

static_assert(KernelBody<ReverseBody> && KernelBody<AllTilesBody<ReverseBody>> && KernelBody<PortableBody>);

// Bodies that lack something.
struct NoBounds {
    using Arguments = int;
    static __device__ void run(int, TileOfBlock, char*);
};
struct TooManyThreads : ReverseBody {
    static constexpr int threads = 2048;
};
struct OtherScheduler : ReverseBody {
    using Scheduler = PersistentTiles;
    static __device__ void run(const Arguments&, TileOfBlock, char*);
};
struct ReturnsSomething : ReverseBody {
    static __device__ bool run(const Arguments&, TileOfBlock, char*);
};
static_assert(!KernelBody<int> && !KernelBody<NoBounds> && !KernelBody<TooManyThreads> && !KernelBody<OtherScheduler> &&
              !KernelBody<ReturnsSomething>);

std::vector<float> reversed(int tiles) {
    std::vector<float> v;
    for (int i = 0; i < 32 * tiles; ++i) v.push_back(static_cast<float>(i / 32 * 32 + 31 - i % 32));
    return v;
}

TEST(Kernel, RunsABodyATile) {
    const Floats x(counting(32 * 7));
    Launcher(0, nullptr).launch<ReverseBody>({7, 32, 128}, {x.p, 7, 0});
    EXPECT_EQ(x.get(), reversed(7));
}
TEST(Kernel, RunsABodyInsideAnotherAndPersistent) {
    const Floats x(counting(32 * 7));
    Launcher(0, nullptr).launch<AllTilesBody<ReverseBody>>({3, 32, 128}, {x.p, 7, 0});
    EXPECT_EQ(x.get(), reversed(7));
}
TEST(Kernel, IsEmptyInOtherImages) {
    const Floats x(counting(32));
    Launcher(0, nullptr).launch<PortableBody>({1, 32, 128}, {x.p, 1, 0});
    EXPECT_EQ(x.get(), counting(32));
}
TEST(Kernel, IsNamedByItsBodyInErrors) {
    const Floats x(counting(32));
    EXPECT_SAYS(error_of({1, 32, 128}, kernel<ReverseBody>, ReverseBody::Arguments{x.p, 1, 1}),
                "emulator_test::ReverseBody, block 0: a thread wrote byte 128 of dynamic shared memory");
    EXPECT_SAYS(error_of({1, 32, 128}, kernel<AllTilesBody<ReverseBody>>, ReverseBody::Arguments{x.p, 1, 1}),
                "emulator_test::AllTilesBody<emulator_test::ReverseBody>, block 0");
}

}  // namespace emulator_test
