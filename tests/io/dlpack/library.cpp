// SPDX-License-Identifier: Apache-2.0
/// A kernel behind functions of C that take and give tensors of DLPack, on the CPU and, compiled as CUDA, on a GPU:
/// python_test.py and cuda_test.py call them.
#include <inlay/inlay.hpp>
#include <inlay/io/dlpack.hpp>

#include <string>

#if defined(__CUDACC__)
#include <inlay/exec/cuda.hpp>
#endif

namespace {

using namespace inlay;

#if defined(__CUDACC__)
using Target = Cuda;
constexpr DLDevice device{kDLCUDA, 0};
#else
using Target = Host;
constexpr DLDevice device = io::dlpack_cpu;
#endif
/// On a GPU its stream is the default one, which producers wait for when they are given stream 1.
Target& target() {
#if defined(__CUDACC__)
    static Cuda gpu(0, nullptr);
    return gpu;
#else
    static Host cpu(2);
    return cpu;
#endif
}

std::string sentence;
int owners = 0;

/// Memory of a result; they are counted.
struct Memory {
    Target::Memory bytes;
    explicit Memory(std::size_t n) : bytes(target().allocate(n)) { ++owners; }
    Memory(Memory&& m) noexcept : bytes(std::move(m.bytes)) { ++owners; }
    ~Memory() { --owners; }
};

/// softmax of the rows of x [M, N], of a type that is looked up.
template <class T, class Lend>
auto softmax_of(const DLTensor& given, Lend lend) {
    const auto x = io::from_dlpack<const T, 2>(given, "x", device);
    Memory memory(sizeof(T) * static_cast<std::size_t>(x.size()));
    const Tensor<T, 2> y(static_cast<T*>(memory.bytes.data()), x.extents);
    prepare<Softmax<>>(y, x).run(target());
    target().synchronize();     // x is given back, and streams of others may read y
    return lend(y, std::move(memory));
}
template <class Managed, class Lend>
Managed* softmax_in(Managed* x, Lend lend) {
    try {
        const DLDataType t = x->dl_tensor.dtype;
        Managed* const y = t.code == kDLBfloat ? softmax_of<bf16>(x->dl_tensor, lend)
                           : t.bits == 16      ? softmax_of<fp16>(x->dl_tensor, lend)
                                               : softmax_of<float>(x->dl_tensor, lend);
        if (x->deleter) x->deleter(x);
        return y;
    } catch (const Error& e) {
        sentence = e.what();
        return nullptr;
    }
}

}  // namespace

extern "C" {

const char* error() { return sentence.c_str(); }
int alive() { return owners; }

/// Null where it throws, and x is not taken then.
DLManagedTensor* softmax(DLManagedTensor* x) {
    return softmax_in(x, [](auto y, auto memory) { return io::to_dlpack(y, std::move(memory), device); });
}
#if defined(DLPACK_MAJOR_VERSION)
DLManagedTensorVersioned* softmax_versioned(DLManagedTensorVersioned* x) {
    return softmax_in(x, [](const auto& y, auto memory) {
        using T = typename std::remove_cvref_t<decltype(y)>::value_type;
        return io::to_dlpack_versioned(Tensor<const T, 2>(y), std::move(memory), device);
    });
}
#endif
}
