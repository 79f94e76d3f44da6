// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/host.hpp>
#include <inlay/nn/loader.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace inlay;

/// A target whose memory is the host's, that has no threads of its own and takes weights as they lie.
struct Plain {
    static index_t packed_size(index_t batch, index_t n, index_t k) { return batch * n * k; }
    void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
    template <Storage T, int R>
    Packed<T, R> pack(const Tensor<T, R>& w, T* to, index_t = 1) {
        std::copy_n(w.data, w.size(), to);
        return {to, w.extents};
    }
};

/// Tensors of whole numbers, written in parts of 7 elements.
struct Numbers {
    std::map<std::string, float> first;  ///< element i is first + i
    mutable std::vector<std::pair<std::string, std::vector<index_t>>> asked;

    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each& each) const {
        asked.emplace_back(name, shape);
        const auto at = first.find(name);
        require(at != first.end(), "no tensor ", name);
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        each((n + 6) / 7, [&](index_t part) {
            for (index_t i = 7 * part; i < std::min(n, 7 * part + 7); ++i)
                to[i] = to_storage<T>(at->second + static_cast<float>(i));
        });
    }
};
/// Receives the names that a model reads.
struct Listed {
    mutable std::vector<std::string> names;
    void list(const std::string& name, const std::vector<index_t>&) const { names.push_back(name); }
};

struct Loading : testing::Test {
    Plain target;
    std::vector<float> memory = std::vector<float>(4096);
    Arena arena{memory.data(), memory.size() * sizeof(float)};
    Numbers source{{{"a.bias", 0}, {"a.q", 100}, {"a.k", 200}, {"a.v", 300}, {"a.conv", 0}}, {}};
    nn::Loader<float, Numbers, Plain> load{&source, target, arena};
};

TEST_F(Loading, NamesAreThoseBelowTheParts) {
    const auto bias = (load / "a").tensor("bias", 3, 4);
    EXPECT_EQ(bias.extents, (Extents<2>{{3, 4}}));
    for (index_t i = 0; i < 12; ++i) EXPECT_EQ(bias.data[i], static_cast<float>(i));
    ASSERT_EQ(source.asked.size(), 1u);
    EXPECT_EQ(source.asked[0].first, "a.bias");
    EXPECT_EQ(source.asked[0].second, (std::vector<index_t>{3, 4}));
    try {
        (load / "a" / 7).tensor("bias", 3);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: no tensor a.7.bias");
    }
}
TEST_F(Loading, MatricesLieAsInTheSource) {
    const auto w = (load / "a").linear("q", 2, 5);
    EXPECT_EQ(w.extents, (Extents<2>{{2, 5}}));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(w.data[i], static_cast<float>(100 + i));
}
TEST_F(Loading, TensorsOfTheHostAreKept) {
    const nn::HostArray<float> k = (load / "a").on_host("k", {2, 3});
    ASSERT_EQ(k.size(), 6u);
    const float* kept = load.kept(k, 6);
    EXPECT_TRUE(std::equal(k.data(), k.data() + 6, kept));
    EXPECT_EQ(kept[5], 205);
}
TEST_F(Loading, FiltersAreReordered) {
    constexpr index_t o = 3, in = 4, r = 2, s = 3;
    const auto w = (load / "a").conv("conv", o, in, r, s);
    EXPECT_EQ(w.extents, (Extents<4>{{o, r, s, in}}));
    EXPECT_EQ(source.asked.back().second, (std::vector<index_t>{o, in, r, s}));
    for (index_t i = 0; i < o; ++i)
        for (index_t c = 0; c < in; ++c)
            for (index_t tap = 0; tap < r * s; ++tap)
                EXPECT_EQ(w.data[(i * r * s + tap) * in + c], static_cast<float>((i * in + c) * r * s + tap));
}
// The memory between file and target is one for all parts, and grows.
TEST_F(Loading, SmallAfterLargeAndLargeAfterSmall) {
    const auto part = load / "a";
    for (const index_t n : {5, 300, 2, 301}) {
        const auto t = part.tensor("bias", n);
        EXPECT_EQ(t.data[n - 1], static_cast<float>(n - 1));
    }
}

// Without a source, or with one that lists, the arena is measured and nothing is read.
TEST(Loader, MeasuresAndLists) {
    Plain target;
    Arena measured, listed;
    const nn::Loader<fp16, Numbers, Plain> shapes(nullptr, target, measured);
    const Listed names;
    const nn::Loader<fp16, Listed, Plain> list(&names, target, listed, "unet.");
    const auto ask = [](const auto& load) {
        EXPECT_EQ((load / "mid").tensor("bias", 100).extents, (Extents<1>{{100}}));
        EXPECT_EQ(load.linear("q", 8, 8).extents, (Extents<2>{{8, 8}}));
        nn::HostArray<fp16> v = load.on_host("v", {32, 4});
        EXPECT_TRUE(v.empty());
        EXPECT_EQ(load.packed(v, Extents<2>{{32, 4}}).extents, (Extents<2>{{32, 4}}));
        EXPECT_EQ(load.conv("conv", 2, 3, 1, 1).extents, (Extents<4>{{2, 1, 1, 3}}));
    };
    ask(shapes);
    ask(list);
    EXPECT_EQ(measured.measured(), 4 * Arena::alignment);
    EXPECT_EQ(listed.measured(), measured.measured());
    EXPECT_EQ(names.names, (std::vector<std::string>{"unet.mid.bias", "unet.q", "unet.v", "unet.conv"}));
}

// The CPU's threads convert, and its panels are what it packs.
TEST(Loader, OnTheHost) {
    Host host(3);
    std::vector<fp16> memory(1 << 16);
    Arena arena(memory.data(), memory.size() * sizeof(fp16));
    const Numbers source{{{"w", 0}}, {}};
    const nn::Loader<fp16, Numbers, Host> load(&source, host, arena);
    const auto w = load.linear("w", 19, 50);
    std::vector<fp16> dense(19 * 50), want(static_cast<std::size_t>(Host::packed_size(1, 19, 50)));
    for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = fp16(static_cast<float>(i));
    host.pack(Tensor<fp16, 2>(dense.data(), {{19, 50}}), want.data());
    EXPECT_EQ(std::memcmp(w.data, want.data(), want.size() * sizeof(fp16)), 0);
}

}  // namespace
