// SPDX-License-Identifier: Apache-2.0
/// The same tests with the networks on a GPU, and one of its memory: on the CPU steps allocate nothing.
#include "clip_test.cpp"
#include "pipeline_test.cpp"
#include "tiny.cpp"
#include "tiny_test.cpp"
#include "unet_test.cpp"
#include "vae_encoder_test.cpp"
#include "vae_test.cpp"

namespace {

TEST(Tiny, MemoryIsFlat) {
    auto options = run_options(model::SchedulerKind::dpmpp_2m, 200);
    Networks& n = networks(DType::f16);
    options.watch = [&] { return n.in_use(); };
    options.repeats = 2;
    const Picture p = n.picture(options);
    for (const std::size_t used : p.watched) EXPECT_EQ(used, p.watched[0]);
}

}  // namespace
