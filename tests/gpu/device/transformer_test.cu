// SPDX-License-Identifier: Apache-2.0
/// Spatial transformers of Stable Diffusion's sizes by persistent launches on a GPU: the results of plain loops, the
/// same bits from any number of blocks with random delays, and in a graph. Ended they have when the kernels' bounded
/// waits did not end them with an error.
#include <exec/cuda/transformer.hpp>
#include <frame/check.hpp>

#include <inlay/exec/graph.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;
using Shape = persistent::TransformerShape;

constexpr Shape levels[] = {{.batch = 2, .pixels = 4096, .channels = 320},
                            {.batch = 2, .pixels = 1024, .channels = 640},
                            {.batch = 2, .pixels = 256, .channels = 1280},
                            {.batch = 2, .pixels = 64, .channels = 1280}};

template <class T>
struct Launch {
    PersistentTransformer<T>* transformer;
    TransformerOperands<T> io;
    void run(Cuda&) const { transformer->launch(io); }
};

template <class T>
struct TransformerOnDevice : ::testing::Test {};
TYPED_TEST_SUITE(TransformerOnDevice, StorageTypes, StorageNames);

TYPED_TEST(TransformerOnDevice, IsThatOfPlainLoopsAtTheFourLevels) {
    if constexpr (sizeof(TypeParam) == 2) {
        const double off = std::is_same_v<TypeParam, fp16> ? 3e-3 : 2.5e-2;
        for (const Shape& shape : levels) {
            SpatialBlock<TypeParam> block(shape);
            EXPECT_LT(distance(block.by_launches({}, 2)[1], block.by_loops(1)), off) << shape.channels << " channels";
        }
    } else {
        GTEST_SKIP() << "persistent launches of transformers are of fp16 and bf16";
    }
}
TEST(TransformersOnDevice, AnyNumberOfBlocksWithDelays) {
    for (const Shape& shape : levels) {
        SpatialBlock<fp16> block(shape);
        const auto y = block.by_launches({}, 1)[0];
        for (const int blocks : {3, 40, 66, 1000})
            EXPECT_EQ(block.by_launches({.blocks = blocks, .delay = 3000}, 1)[0], y)
                << shape.channels << " channels, " << blocks << " blocks";
    }
}
TEST(TransformersOnDevice, ManyLaunchesInAGraph) {
    SpatialBlock<fp16> block(levels[2]);
    const auto y = block.by_launches({}, 1)[0];
    PersistentTransformer<fp16> transformer(block.gpu, block.weights, block.shape);
    DeviceMemory result = block.gpu.allocate(block.bytes());
    const Graph graph(block.gpu, Launch<fp16>{&transformer, block.operands(0, static_cast<fp16*>(result.data()))});
    EXPECT_EQ(graph.kernels(), 1u);
    for (int i = 0; i < 2000; ++i) graph.launch();
    EXPECT_EQ(block.read(result), y);
}

}  // namespace
