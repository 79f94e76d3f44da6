// SPDX-License-Identifier: Apache-2.0
/// The rule's choices on an H200 for the 3×3 convolutions of Stable Diffusion 1.5: as their input is copied, and as it
/// is evaluated, which needs wide tiles: each tile of columns evaluates it anew.
#include <inlay/plan/gemm/wgmma.hpp>

#include <tests_folder.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace {

using namespace inlay;

std::string chosen(index_t images, index_t height, index_t width, index_t channels, index_t out, bool evaluates) {
    WgmmaGrid w;
    w.windows = 3, w.evaluates = evaluates;
    w.m = images * height * width, w.n = out, w.k = channels, w.taps = 9, w.steps = 9 * ((channels + 63) / 64);
    w.rows.images = static_cast<int>(images);
    w.rows.height = static_cast<int>(height);
    w.rows.width = static_cast<int>(width);
    const ChosenWgmma c = choose_wgmma_by_rule(w, 132);
    return std::to_string(c.schedule.m) + "x" + std::to_string(c.schedule.n) + "/" + std::to_string(c.choice.parts);
}

TEST(WgmmaChoices, OfTheConvolutionsOfAModel) {
    // height;width;channels;out: copied, evaluated. Evaluated, 64×64×320 and 32×32×640 were measured at 25.0 and 25.2
    // us beside 34.0 and 30.9 of the narrow tile, 8×8×1280 at 16.0 of that beside 18.8; 128×128×512 and more pixels in
    // 256x128 take 15 to 19 % less than in 128x160. 128x128 ping-pong takes 7 % less than 128x160 at 64×64×512; than
    // 256x128 copied 2 to 7 % less at 128×128 and more pixels, and evaluated up to 3 % more.
    const std::map<std::string, std::pair<std::string, std::string>> wanted{
        {"64;64;320;320", {"128x160/1", "128x160/1"}},   {"32;32;320;640", {"128x80/1", "128x80/1"}},
        {"32;32;640;640", {"128x160/2", "128x160/2"}},   {"16;16;640;1280", {"128x80/2", "128x80/2"}},
        {"16;16;1280;1280", {"128x80/2", "128x80/2"}},  {"8;8;1280;1280", {"128x80/6", "128x80/6"}},
        {"8;8;2560;1280", {"128x80/6", "128x80/6"}},    {"16;16;2560;1280", {"128x80/2", "128x80/2"}},
        {"16;16;1920;1280", {"128x80/2", "128x80/2"}},  {"32;32;1280;1280", {"128x160/1", "128x160/1"}},
        {"32;32;1920;640", {"128x160/2", "128x160/2"}},  {"32;32;1280;640", {"128x160/2", "128x160/2"}},
        {"32;32;960;640", {"128x160/2", "128x160/2"}},   {"64;64;640;640", {"128x160/1", "128x160/1"}},
        {"64;64;960;320", {"128x160/1", "128x160/1"}},   {"64;64;640;320", {"128x160/1", "128x160/1"}},
        {"64;64;320;4", {"128x80/2", "128x80/2"}},       {"64;64;512;512", {"128x128/1", "128x128/1"}},
        {"128;128;512;512", {"128x128/1", "256x128/1"}}, {"256;256;512;512", {"128x128/1", "256x128/1"}},
        {"256;256;512;256", {"128x128/1", "256x128/1"}}, {"256;256;256;256", {"128x128/1", "128x128/1"}},
        {"512;512;256;256", {"128x128/1", "256x128/1"}}, {"512;512;256;128", {"128x128/1", "128x128/1"}},
        {"512;512;128;128", {"128x128/1", "128x128/1"}}, {"512;512;128;3", {"128x80/1", "128x80/1"}},
    };
    std::ifstream in(inlay_test::tests_folder() + "/../bench/sd15_shapes.csv");
    std::size_t found = 0;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        std::string model, kind, key;
        std::getline(std::getline(std::getline(fields, model, ','), kind, ','), key, ',');
        long long h = 0, w = 0, c = 0, o = 0, stride = 0;
        char sep;
        std::istringstream numbers(key);
        numbers >> h >> sep >> w >> sep >> c >> sep >> o >> sep >> stride;
        if (kind != "conv3x3" || stride != 1 || c % 8 != 0) continue;
        const auto at = wanted.find(key.substr(0, key.rfind(';')));
        ASSERT_NE(at, wanted.end()) << key;
        const index_t images = model == "vae" ? 1 : 2;
        EXPECT_EQ(chosen(images, h, w, c, o, false), at->second.first) << key;
        EXPECT_EQ(chosen(images, h, w, c, o, true), at->second.second) << key;
        ++found;
    }
    EXPECT_EQ(found, wanted.size());
}

}  // namespace
