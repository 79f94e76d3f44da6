// SPDX-License-Identifier: Apache-2.0
/// Stable Diffusion's networks behind functions that no test has to instantiate: a whole network costs the compiler
/// half a minute and more, so each storage type is compiled once, in networks_<dtype>.cpp for the CPU and in
/// networks_<dtype>.cu for the GPU. Images are torch's NCHW.
#pragma once

#include <inlay/model/pipeline.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::io {
struct Checkpoint;
}

namespace inlay_test {

using inlay::index_t;

/// Values in torch's order.
struct Image {
    index_t n = 0, c = 0, h = 0, w = 0;
    std::vector<float> v;
};

struct Noise {
    Image image;
    std::size_t schedule_launches = 0, prompt_launches = 0, step_launches = 0;
    double seconds = 0;  ///< of the step
};

struct Picture {
    Image latents, image;
    std::size_t arena = 0;
    std::size_t step_launches = 0, explained_launches = 0;  ///< launches of a step, and kernels of its programs
    inlay::model::Timings timings;
    inlay::model::StageTimings alone;
    /// The values that `watch` returned at each progress callback.
    std::vector<std::size_t> watched;
};

struct PictureOptions {
    int width = 128, height = 128;
    double guidance = 7.5;
    inlay::model::Schedule schedule;
    std::vector<std::int32_t> ids;
    std::vector<std::uint64_t> seeds;
    std::function<std::size_t()> watch;
    Image from;       ///< image to image where it holds values
    int repeats = 1;  ///< runs of the same pipeline; the last one's picture is returned
    int replays = 0;  ///< of each stage alone, to time it
    /// The exchange of a half of guidance, where it holds a function: on the CPU.
    std::function<void(const void* mine, void* others, std::size_t bytes)> exchange;
    bool conditional = false;  ///< of that half
};

class Networks {
public:
    virtual ~Networks() = default;
    virtual std::size_t bytes() const = 0;
    /// Bytes of its memory that the target says are in use, by whomever; 0 where it does not know.
    virtual std::size_t in_use() = 0;
    /// ids [rows, 77] → [rows, 77, hidden].
    virtual std::vector<float> clip(const std::vector<std::int32_t>& ids) = 0;
    /// text [B, 77, context], or of guided steps [2B, 77, context], whose noise is of 2B items.
    virtual Noise unet(const Image& sample, double timestep, const std::vector<float>& text) = 0;
    /// Latents as the sampler leaves them → image.
    virtual Image vae(const Image& latents) = 0;
    /// Image → mean and log variance of its latents, one after the other in the channels.
    virtual Image encode(const Image& image) = 0;
    virtual Picture picture(const PictureOptions& options) = 0;
};

/// `which`: threads of the CPU executor (0: all), or the number of the GPU.
std::unique_ptr<Networks> networks_f32(const inlay::io::Checkpoint& files, int which = 0);
std::unique_ptr<Networks> networks_f16(const inlay::io::Checkpoint& files, int which = 0);
std::unique_ptr<Networks> networks_bf16(const inlay::io::Checkpoint& files, int which = 0);
extern const bool networks_on_gpu;

/// The kernels of one guided UNet step of SD1.5 at 512x512, built from shapes alone.
struct StepKernel {
    std::string layer, frame;
};
std::vector<StepKernel> sd15_step();

}  // namespace inlay_test
