// SPDX-License-Identifier: Apache-2.0
/// `using namespace inlay` and `using namespace std` at once, beside names that a program and its libraries have at the
/// global scope. Each is used by its plain name: one that Inlay had too would be ambiguous.
#if defined(__CUDACC__)
#include <cuda/std/type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
struct __half;
typedef __half half;    // as cuda_fp16.h has it
namespace cuda {
struct Stream {};
}  // namespace cuda
#endif
#if __has_include(<X11/Xlib.h>)
#include <X11/Xlib.h>
#else
typedef unsigned long Window;
#endif

#include <inlay/inlay.hpp>

#if defined(__CUDACC__)
#include <inlay/exec/graph.hpp>
#endif

#include <algorithm>
#include <any>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace at {
struct Half {
    unsigned short x;
};
}  // namespace at
template <> struct inlay::StoredAs<at::Half> { using type = inlay::fp16; };

int host = 1, length = 2, step = 3, clamped = 4, paired = 5, microseconds = 6;
struct decimal {};
struct affine {};
struct argument {};
template <class... T>
struct join {};
template <class... T>
struct unite {};

using namespace inlay;
using namespace std;

using Gate = Slice<Buf<0>, -1, 4, 4>;
struct geglu : Linear<Mul<Slice<Buf<0>, -1, 0, 4>, Gelu<Gate>>, Add<Out, Buf<1>>> {};
struct filter : Conv2D<Filter<3>, Silu<Buf<0>>> {};

constexpr auto x = buf<0>;
constexpr auto y = buf<1>;
using Pointwise = decltype(exp(x) + sqrt(abs(y)) * max(x, y) - clamp(x, constant<0.0>, constant<1.0>) +
                           tanh(sin(cos(log(erf(floor(ceil(exp2(x)))))))) + pow(x, y) + lerp(x, y, param<0>) + min(x, y));
struct pointwise_kernel : Elementwise<remove_cv_t<Pointwise>> {};

half* some_half = nullptr;
::Window window = 0;
Window same_window = window;
const int total = host + length + step + clamped + paired + microseconds;
join<unite<decimal>, affine, argument> mine;
function<double(double)> root = [](double v) { return sqrt(v) + exp(0.0) + max(1.0, 2.0) + min(1, 2) + abs(-1.0); };

#if defined(__CUDACC__)
static_assert(cuda::std::is_same_v<decltype(tensor(some_half, 2, 3)), Tensor<fp16, 2>>);
void run(half* to, const half* weights, const half* from, const half* bias, cudaStream_t stream) {
    Cuda gpu(0, stream);
    auto kernel = prepare<geglu>(tensor(to, 2, 3), tensor(weights, 3, 4), tensor(from, 2, 8), tensor(bias, 3));
    kernel.run(gpu);
}
int main() {}
#else
static_assert(is_same_v<decltype(tensor(some_half, 2, 3)), Tensor<fp16, 2>>);
cuda::Stream stream;
any anything = total;  // nvcc has an any of its own
int main() {
    vector<float> to(6), weights(12, 1), from(16, 1), bias(3, 1);
    Host cpu;
    prepare<geglu>(tensor(to.data(), 2, 3), tensor(weights.data(), 3, 4), tensor(from.data(), 2, 8),
                   tensor(bias.data(), 3))
        .run(cpu);
    const string kernel = name<geglu>();
    const double sum = accumulate(to.begin(), to.end(), 0.0), gate = 0.5 * (1 + erf(sqrt(0.5)));
    printf("%s: %g\n", kernel.c_str(), sum);
    return abs(sum - 6 * (4 * gate + 1)) < 1e-4 && any_cast<int>(anything) == 21 ? 0 : 1;
}
#endif
