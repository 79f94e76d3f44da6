// SPDX-License-Identifier: Apache-2.0
/// Layers without weights and without kernels: the tensors they read of a file, and their launches.
#pragma once

#include <inlay/inlay.hpp>
#include <inlay/nn/build.hpp>
#include <inlay/nn/loader.hpp>

#include <string>
#include <vector>

namespace inlay_test {

using namespace inlay;

/// A target for which no kernel is compiled.
struct Nowhere {
    static index_t packed_size(index_t batch, index_t n, index_t k) { return batch * n * k; }
    void upload(void*, const void*, std::size_t) {}
    template <Storage T, int R>
    Packed<T, R> pack(const Tensor<T, R>& w, T* to, index_t = 1) {
        return {to, w.extents};
    }
    template <class... A>
    void map(const A&...) {}
    template <class... A>
    void rows(const A&...) {}
    template <int, class... A>
    void group_norm(const A&...) {}
    template <class, class... A>
    void matmul(const MatmulShape&, const A&...) {}
    template <class, class... A>
    void attention(const AttentionShape&, const A&...) {}
    template <class S>
    void publish_stats(const S&) {}
};

/// Receives the names and shapes that a layer reads.
struct Listed {
    mutable std::string names;
    void list(const std::string& name, const std::vector<index_t>& shape) const {
        names += name + " [";
        for (const index_t e : shape) names += (names.back() == '[' ? "" : ", ") + std::to_string(e);
        names += "]\n";
    }
};

/// A layer's loader and builder.
class Asked {
public:
    const nn::Loader<fp16, Listed, Nowhere>& load() const { return load_; }
    const std::string& names() const { return source_.names; }
    nn::Build<fp16, Nowhere> build() { return {&program_, &memory_, ""}; }
    /// The layers' names in order, and their frames.
    std::string launches() const {
        std::string s;
        for (const KernelReport& l : program_.launches()) s += l.layer + " " + l.frame + "\n";
        return s;
    }
    template <class... I>
    Tensor<fp16, sizeof...(I)> tensor(I... extents) {
        return inlay::tensor<fp16>(nullptr, extents...);
    }

private:
    Listed source_;
    Nowhere target_;
    Arena weights_, memory_;
    nn::Loader<fp16, Listed, Nowhere> load_{&source_, target_, weights_};
    Program<Nowhere> program_;
};

}  // namespace inlay_test
