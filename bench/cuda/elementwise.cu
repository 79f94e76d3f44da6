// SPDX-License-Identifier: Apache-2.0
/// One pass over memory: by size, beside a device copy, and the views of SD1.5. PyTorch joins in bench/compare.py.
#include "target.hpp"

namespace {

using namespace inlay;
using namespace inlay_bench;

struct copy_pass : Elementwise<Buf<0>> {};
struct add : Elementwise<Add<Buf<0>, Buf<1>>> {};
struct silu_pass : Elementwise<Silu<Buf<0>>> {};
struct gelu_exact : Elementwise<Gelu<Buf<0>>> {};
struct heads : Elementwise<Permute<Buf<0>, 0, 2, 1, 3>> {};
struct concat_channels : Elementwise<Concat<-1, Buf<0>, Buf<1>>> {};
struct upsampled : Elementwise<Upsample2x<Buf<0>>> {};
struct geglu_pass : Elementwise<Mul<Slice<Buf<0>, -1, 0, param<0>>, Gelu<Slice<Buf<0>, -1, param<0>, param<0>>>>> {};

std::vector<Candidate> device_copy(std::size_t bytes) {
    return {{"cudaMemcpyAsync", [bytes](const Operands& o, cudaStream_t stream) {
                 on_gpu::check(cudaMemcpyAsync(o.out, o.in[0], bytes, cudaMemcpyDeviceToDevice, stream),
                                "cudaMemcpyAsync");
             }}};
}

template <class K, class T = fp16>
void unary(Bench& bench, const char* what, index_t n) {
    bench.run(std::string("elementwise/") + what + "/" + std::to_string(n) + "/" + name(dtype_of<T>), [&](Case& c) {
        auto x = c.input<T>(n);
        auto y = c.output<T>(n);
        c.ours([=](int i) { return prepare<K>(tensor(y[i], n), tensor(x[i], n)); });
        if constexpr (std::is_same_v<K, copy_pass>)
            c.peer("device copy", device_copy(sizeof(T) * static_cast<std::size_t>(n)));
    });
}
template <class T = fp16>
void binary(Bench& bench, index_t n) {
    bench.run("elementwise/add/" + std::to_string(n) + "/" + name(dtype_of<T>), [&](Case& c) {
        auto x = c.input<T>(n), z = c.input<T>(n);
        auto y = c.output<T>(n);
        c.ours([=](int i) { return prepare<add>(tensor(y[i], n), tensor(x[i], n), tensor(z[i], n)); });
    });
}
void views(Bench& bench, index_t batch, index_t size, index_t c) {
    const std::string shape = std::to_string(batch) + "x" + std::to_string(size) + "x" + std::to_string(c) + "/fp16";
    const index_t tokens = size * size, n = batch * tokens * c, d = c / 8;
    bench.run("elementwise/heads/" + shape, [&](Case& k) {
        auto x = k.input<fp16>(n);
        auto y = k.output<fp16>(n);
        k.ours([=](int i) {
            return prepare<heads>(tensor(y[i], batch, 8, tokens, d), tensor(x[i], batch, tokens, 8, d));
        });
    });
    bench.run("elementwise/concat/" + shape, [&](Case& k) {
        auto x = k.input<fp16>(n), z = k.input<fp16>(n);
        auto y = k.output<fp16>(2 * n);
        k.ours([=](int i) {
            return prepare<concat_channels>(tensor(y[i], batch, size, size, 2 * c), tensor(x[i], batch, size, size, c),
                                            tensor(z[i], batch, size, size, c));
        });
    });
    bench.run("elementwise/upsample2x/" + shape, [&](Case& k) {
        auto x = k.input<fp16>(n);
        auto y = k.output<fp16>(4 * n);
        k.ours([=](int i) {
            return prepare<upsampled>(tensor(y[i], batch, 2 * size, 2 * size, c), tensor(x[i], batch, size, size, c));
        });
    });
    bench.run("elementwise/geglu/" + shape, [&](Case& k) {
        const index_t m = batch * tokens;
        auto x = k.input<fp16>(m * 8 * c);
        auto y = k.output<fp16>(m * 4 * c);
        k.ours([=](int i) { return prepare<geglu_pass>(tensor(y[i], m, 4 * c), tensor(x[i], m, 8 * c), 4 * c); });
    });
}

}  // namespace

int main(int argc, char** argv) {
    Bench bench("elementwise", argc, argv);
    for (int log = 20; log <= 29; log += bench.quick() ? 3 : 1) {  // 2 MB to 1 GB of fp16
        const index_t n = index_t(1) << log;
        unary<copy_pass>(bench, "copy", n);
        unary<silu_pass>(bench, "silu", n);
        binary(bench, n);
    }
    unary<gelu_exact>(bench, "gelu", index_t(1) << 27);
    unary<silu_pass, float>(bench, "silu", index_t(1) << 27);
    binary<float>(bench, index_t(1) << 27);
    unary<silu_pass, bf16>(bench, "silu", index_t(1) << 27);
    views(bench, 2, 64, 320);
    views(bench, 2, 32, 640);
    views(bench, 2, 16, 1280);
    return bench.finish();
}
