// SPDX-License-Identifier: Apache-2.0
/// A spatial transformer of random weights, in persistent launches and by plain loops in double.
#pragma once

#include <inlay/exec/cuda/transformer.hpp>
#include <inlay/tile/host/threads.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace inlay_test {

using namespace inlay;

template <class T>
class SpatialBlock {
public:
    using Shape = persistent::TransformerShape;
    using Values = std::vector<float>;

    explicit SpatialBlock(const Shape& s) : shape(s) {
        const index_t c = s.channels;
        const float narrow = 1.5f / std::sqrt(static_cast<float>(c)), wide = 0.5f * narrow;
        const auto norm = [&](const T*& gamma, const T*& beta, int at) {
            gamma = weight(norms_[at], c, 0.3f, 1), beta = weight(norms_[at + 1], c, 0.2f, 0);
        };
        norm(weights.norm, weights.norm_shift, 0);
        norm(weights.norm1, weights.norm1_shift, 2);
        norm(weights.norm2, weights.norm2_shift, 4);
        norm(weights.norm3, weights.norm3_shift, 6);
        weights.project_in = weight(in_, c * c, narrow, 0), weights.project_in_bias = weight(in_bias_, c, 0.1f, 0);
        weights.qkv = weight(qkv_, 3 * c * c, 2 * narrow, 0);
        weights.out = weight(out_, c * c, narrow, 0), weights.out_bias = weight(out_bias_, c, 0.1f, 0);
        weights.query = weight(query_, c * c, 2 * narrow, 0);
        weights.out_text = weight(out_text_, c * c, narrow, 0);
        weights.out_text_bias = weight(out_text_bias_, c, 0.1f, 0);
        weights.up = weight(up_, 8 * c * c, narrow, 0);
        weights.up_bias = weight(up_bias_, 4 * c, 0.1f, 0), weights.gate_bias = weight(gate_bias_, 4 * c, 0.1f, 0);
        weights.down = weight(down_, 4 * c * c, wide, 0), weights.down_bias = weight(down_bias_, c, 0.1f, 0);
        weights.project_out = weight(project_out_, c * c, narrow, 0);
        weights.project_out_bias = weight(project_out_bias_, c, 0.1f, 0);
        const index_t text = s.batch * s.text * c;
        keys_at = weight(keys_, text, 1.5f, 0), values_at = weight(values_, text, 1, 0);
        images_at[0] = weight(images_[0], s.rows() * c, 1, 0.5f);
        images_at[1] = weight(images_[1], s.rows() * c, 2, -3);
    }

    /// Results of launches in turn of both images by one object.
    std::vector<Values> by_launches(const TransformerRun& run, int launches = 2) {
        PersistentTransformer<T> transformer(gpu, weights, shape, run);
        DeviceMemory result = gpu.allocate(bytes());
        std::vector<Values> all;
        for (int i = 0; i < launches; ++i) {
            gpu.upload(result.data(), poison().data(), bytes());
            transformer.launch(operands(i % 2, static_cast<T*>(result.data())));
            all.push_back(read(result));
        }
        return all;
    }
    TransformerOperands<T> operands(int image, T* result) const {
        const auto text = [&](const T* at) { return tensor(at, shape.batch, shape.text, shape.channels); };
        return {result, images_at[image], text(keys_at), text(values_at)};
    }
    Values by_loops(int image) const;

    Cuda gpu{0};
    const Shape shape;
    TransformerWeights<T> weights{};

    std::size_t bytes() const { return static_cast<std::size_t>(shape.row_bytes()); }
    Values read(const DeviceMemory& from) {
        std::vector<T> stored(bytes() / sizeof(T));
        gpu.download(stored.data(), from.data(), bytes());
        Values v;
        v.reserve(stored.size());
        for (const T x : stored) v.push_back(static_cast<float>(x));
        return v;
    }

private:
    std::vector<T> poison() const {
        return std::vector<T>(bytes() / sizeof(T), to_storage<T>(std::numeric_limits<float>::quiet_NaN()));
    }
    /// Random values around `base` in device memory, and in `host`.
    const T* weight(Values& host, index_t n, float scale, float base) {
        std::vector<T> stored;
        stored.reserve(static_cast<std::size_t>(n));
        host.reserve(static_cast<std::size_t>(n));
        for (index_t i = 0; i < n; ++i) {
            seed_ = seed_ * 1664525u + 1013904223u;
            const float x = static_cast<float>(seed_ >> 8) / 8388608.0f - 1;
            stored.push_back(to_storage<T>(base + scale * x));
            host.push_back(static_cast<float>(stored.back()));
        }
        device_.push_back(gpu.allocate(stored.size() * sizeof(T)));
        gpu.upload(device_.back().data(), stored.data(), stored.size() * sizeof(T));
        return static_cast<const T*>(device_.back().data());
    }

    std::uint32_t seed_ = 7;
    std::vector<DeviceMemory> device_;
    Values norms_[8], in_, in_bias_, qkv_, out_, out_bias_, query_, out_text_, out_text_bias_, up_, up_bias_,
        gate_bias_, down_, down_bias_, project_out_, project_out_bias_, keys_, values_, images_[2];
    const T *keys_at = nullptr, *values_at = nullptr, *images_at[2] = {};
};

/// Relative L2.
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < b.size(); ++i) off += (a[i] - b[i]) * (a[i] - b[i]), all += b[i] * b[i];
    return std::sqrt(off / all);
}

/// Rows of the layer in double, without rounding between the kernels.
template <class T>
std::vector<float> SpatialBlock<T>::by_loops(int image) const {
    const int c = shape.channels, rows = shape.rows(), pixels = shape.pixels, heads = shape.heads, d = shape.head();
    using Doubles = std::vector<double>;
    const Values& x = images_[image];
    on_host::Threads threads;
    const auto each_row = [&](const auto& f) {
        threads.parallel_for(rows, [&](index_t r, int) { f(static_cast<int>(r)); });
    };
    const auto product = [&](const Doubles& in, const Values& w, const Values* b, int n, int k) {
        Doubles y(static_cast<std::size_t>(rows) * static_cast<std::size_t>(n));
        each_row([&](int r) {
            for (int j = 0; j < n; ++j) {
                const double* const from = in.data() + r * k;
                const float* const by = w.data() + j * k;
                double sum = b ? (*b)[static_cast<std::size_t>(j)] : 0;
                for (int i = 0; i < k; ++i) sum += from[i] * by[i];
                y[static_cast<std::size_t>(r * n + j)] = sum;
            }
        });
        return y;
    };
    const auto add = [](Doubles a, const auto& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        return a;
    };
    const auto normal = [&](const Doubles& in, const Values& gamma, const Values& beta) {
        Doubles y(in.size());
        for (int r = 0; r < rows; ++r) {
            double mean = 0, square = 0;
            for (int i = 0; i < c; ++i) mean += in[static_cast<std::size_t>(r * c + i)] / c;
            for (int i = 0; i < c; ++i) square += std::pow(in[static_cast<std::size_t>(r * c + i)] - mean, 2) / c;
            for (int i = 0; i < c; ++i) {
                const auto at = static_cast<std::size_t>(r * c + i), j = static_cast<std::size_t>(i);
                y[at] = (in[at] - mean) / std::sqrt(square + 1e-5) * gamma[j] + beta[j];
            }
        }
        return y;
    };
    // Queries, keys and values: rows of `pitch` elements, those of a head from d · head on.
    const auto attend = [&](const double* q, int q_pitch, const auto* k, const auto* v, int pitch, int keys) {
        Doubles y(static_cast<std::size_t>(rows * c));
        each_row([&](int r) {
            for (int h = 0; h < heads; ++h) {
                const int first = r / pixels * keys;
                Doubles p;
                double sum = 0;
                for (int j = 0; j < keys; ++j) {
                    double s = 0;
                    for (int i = 0; i < d; ++i) s += q[r * q_pitch + h * d + i] * k[(first + j) * pitch + h * d + i];
                    p.push_back(std::exp(s / std::sqrt(static_cast<double>(d)))), sum += p.back();
                }
                for (int j = 0; j < keys; ++j)
                    for (int i = 0; i < d; ++i)
                        y[static_cast<std::size_t>(r * c + h * d + i)] +=
                            p[static_cast<std::size_t>(j)] / sum * v[(first + j) * pitch + h * d + i];
            }
        });
        return y;
    };
    Doubles n(x.size());
    const int width = c / 32;
    for (int item = 0; item < shape.batch; ++item)
        for (int g = 0; g < 32; ++g) {
            const auto at = [&](int p, int i) {
                return static_cast<std::size_t>((item * pixels + p) * c + g * width + i);
            };
            double mean = 0, square = 0;
            const double count = static_cast<double>(pixels) * width;
            for (int p = 0; p < pixels; ++p)
                for (int i = 0; i < width; ++i) mean += x[at(p, i)] / count;
            for (int p = 0; p < pixels; ++p)
                for (int i = 0; i < width; ++i) square += std::pow(x[at(p, i)] - mean, 2) / count;
            for (int p = 0; p < pixels; ++p)
                for (int i = 0; i < width; ++i) {
                    const auto j = static_cast<std::size_t>(g * width + i);
                    n[at(p, i)] = (x[at(p, i)] - mean) / std::sqrt(square + 1e-6) * norms_[0][j] + norms_[1][j];
                }
        }
    const Doubles begin = product(n, in_, &in_bias_, c, c);
    const Doubles qkv = product(normal(begin, norms_[2], norms_[3]), qkv_, nullptr, 3 * c, c);
    const Doubles attended = attend(qkv.data(), 3 * c, qkv.data() + c, qkv.data() + 2 * c, 3 * c, pixels);
    const Doubles middle = add(product(attended, out_, &out_bias_, c, c), begin);
    const Doubles query = product(normal(middle, norms_[4], norms_[5]), query_, nullptr, c, c);
    const Doubles of_text = attend(query.data(), c, keys_.data(), values_.data(), c, shape.text);
    const Doubles late = add(product(of_text, out_text_, &out_text_bias_, c, c), middle);
    const Doubles both = product(normal(late, norms_[6], norms_[7]), up_, nullptr, 8 * c, c);
    Doubles inner(static_cast<std::size_t>(rows) * static_cast<std::size_t>(4 * c));
    for (int r = 0; r < rows; ++r)
        for (int j = 0; j < 4 * c; ++j) {
            const int pair = r * 8 * c + j / 16 * 32 + j % 16;
            const auto i = static_cast<std::size_t>(j);
            const double value = both[static_cast<std::size_t>(pair)] + up_bias_[i],
                         gate = both[static_cast<std::size_t>(pair + 16)] + gate_bias_[i];
            inner[static_cast<std::size_t>(r * 4 * c + j)] = value * gate * 0.5 * std::erfc(-gate / std::sqrt(2.0));
        }
    const Doubles end = add(product(inner, down_, &down_bias_, c, 4 * c), late);
    const Doubles y = add(product(end, project_out_, &project_out_bias_, c, c), x);
    return {y.begin(), y.end()};
}

}  // namespace inlay_test
