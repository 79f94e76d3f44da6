// SPDX-License-Identifier: Apache-2.0
/// A kernel behind functions of C that take and give tensors of DLPack: python_test.py calls them.
#include <inlay/inlay.hpp>
#include <inlay/io/dlpack.hpp>

#include <string>
#include <vector>

namespace {

using namespace inlay;

std::string sentence;
int owners = 0;

/// Memory of a result; they are counted.
template <class T>
struct Memory {
    std::vector<T> values;
    explicit Memory(index_t n) : values(static_cast<std::size_t>(n)) { ++owners; }
    Memory(Memory&& m) noexcept : values(std::move(m.values)) { ++owners; }
    ~Memory() { --owners; }
};

/// softmax of the rows of x [M, N], of a type that is looked up.
template <class T, class Lend>
auto softmax_of(const DLTensor& given, Lend lend) {
    const auto x = io::from_dlpack<const T, 2>(given, "x");
    Memory<T> memory(x.size());
    const Tensor<T, 2> y(memory.values.data(), x.extents);
    static Host cpu(2);
    prepare<Softmax<>>(y, x).run(cpu);
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
    return softmax_in(x, [](auto y, auto memory) { return io::to_dlpack(y, std::move(memory)); });
}
#if defined(DLPACK_MAJOR_VERSION)
DLManagedTensorVersioned* softmax_versioned(DLManagedTensorVersioned* x) {
    return softmax_in(x, [](const auto& y, auto memory) {
        using T = typename std::remove_cvref_t<decltype(y)>::value_type;
        return io::to_dlpack_versioned(Tensor<const T, 2>(y), std::move(memory));
    });
}
#endif
}
