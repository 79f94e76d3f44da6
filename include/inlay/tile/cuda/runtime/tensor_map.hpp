// SPDX-License-Identifier: Apache-2.0
/// Maps of tensors for the copy engine (`isa/tma.hpp`), made on the host by the driver. Innermost axis first, in
/// rows of 64 elements of 16 bits, the most that the 128-byte swizzle holds; outside the tensor there are zeros.
#pragma once

#include <inlay/plan/access/mapped_tensor.hpp>
#include <inlay/tile/cuda/isa/tma.hpp>
#include <inlay/tile/cuda/runtime/error.hpp>

#include <cstdint>
#include <cstring>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// A function of the driver's, of CUDA 12.0 or newer.
template <class F>
F driver_function(const char* name) {
    void* f = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault, &found),
          "cudaGetDriverEntryPointByVersion");
    require(found == cudaDriverEntryPointSuccess && f, "the CUDA driver has no ", name, "; CUDA 12.0 has it");
    return reinterpret_cast<F>(f);
}
inline CUtensorMapDataType map_type(DType t) {
    return t == DType::f16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}
/// A map aligned as the driver demands: g++ does not align a variable of this size in every function.
class AlignedMap {
public:
    TensorMap* get() {
        return reinterpret_cast<TensorMap*>((reinterpret_cast<std::uintptr_t>(room_) + 127) / 128 * 128);
    }
    TensorMap copy() {
        TensorMap map;
        std::memcpy(&map, get(), sizeof map);
        return map;
    }

private:
    unsigned char room_[sizeof(TensorMap) + 128] = {};
};
struct MapStrides {
    cuuint64_t extents[5], bytes[4];
    explicit MapStrides(const MappedTensor& t) {
        for (int i = 0; i < 5; ++i) extents[i] = static_cast<cuuint64_t>(t.extents[i]);
        cuuint64_t dense = (2 * extents[0] + 15) / 16 * 16;     // of an axis of extent 1, whose stride is never used
        for (int i = 1; i < 5; ++i) {
            bytes[i - 1] = t.extents[i] > 1 ? 2 * static_cast<cuuint64_t>(t.strides[i]) : dense;
            dense = bytes[i - 1] * extents[i];
        }
    }
};

}  // namespace detail

/// Boxes of `box` elements along each axis, at most 64 along the innermost and 256 along the others, of a tensor of so
/// many axes.
template <std::size_t Rank>
TensorMap box_map(const MappedTensor& t, const int (&box)[Rank]) {
    static_assert(Rank == 4 || Rank == 5);
    static const auto encode = detail::driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    const detail::MapStrides s(t);
    cuuint32_t boxes[Rank], steps[5] = {1, 1, 1, 1, 1};
    Extents<static_cast<int>(Rank)> described{};
    for (int i = 0; i < static_cast<int>(Rank); ++i) boxes[i] = static_cast<cuuint32_t>(described[i] = box[i]);
    detail::AlignedMap map;
    const CUresult r = encode(map.get(), detail::map_type(t.type), Rank, const_cast<void*>(t.data), s.extents, s.bytes,
                              boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                              CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    require(r == CUDA_SUCCESS, "cuTensorMapEncodeTiled of boxes of ",
            text(described), " of a tensor of ", text(t.described(t.extents)),
            " with strides ", text(t.described(t.strides)), ": CUresult ", static_cast<int>(r));
    return map.copy();
}

/// `pixels` pixels of a tensor (channel, x, y, image), 64 channels each, in the order of the convolution's output.
inline TensorMap pixel_map(const MappedTensor& t, const MappedWindow& w, int pixels) {
    static const auto encode = detail::driver_function<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    const detail::MapStrides s(t);
    const int lower[2] = {-w.before, -w.before},
              upper[2] = {w.after - (w.cols - 1) * w.dilation, w.after - (w.rows - 1) * w.dilation};
    const auto step = static_cast<cuuint32_t>(w.stride);
    const cuuint32_t steps[4] = {1, step, step, 1};
    detail::AlignedMap map;
    const CUresult r =
        encode(map.get(), detail::map_type(t.type), 4, const_cast<void*>(t.data), s.extents, s.bytes, lower, upper, 64,
               static_cast<cuuint32_t>(pixels), steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    require(r == CUDA_SUCCESS, "cuTensorMapEncodeIm2col of ", pixels, " pixels of a tensor of ",
            text(t.described(t.extents)), " with strides ", text(t.described(t.strides)), ": CUresult ",
            static_cast<int>(r));
    return map.copy();
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
