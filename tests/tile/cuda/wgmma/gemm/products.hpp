// SPDX-License-Identifier: Apache-2.0
/// Matrix products by sm_90a's engine with a schedule of its tables given by number.
#pragma once

#include <gpu/emulated/expect_schedule.hpp>

#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/upsampled_conv2d.hpp>
#include <inlay/tile/cuda/wgmma/gemm/launch.hpp>

namespace inlay_test {

using namespace inlay;

/// Runs matrix products with schedule I of the table for their rows.
template <int I>
struct With {
    static constexpr int schedule = I;
    on_gpu::Launcher& l;
    int parts;
    bool packed = false;    ///< weights are constants

    template <class, class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void matmul(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place) {
        using Constant = Packed<std::remove_const_t<typename W::value_type>, W::rank>;
        if (packed) run(s, Constant{w.data, w.extents}, in, rows, epilogue, sink, place);
        else run(s, w, in, rows, epilogue, sink, place);
    }
    template <class S>
    void publish_stats(const S&) {}

private:
    template <class W, class In, class Rows, class Epilogue, class Sink, class Place>
    void run(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
             const Sink& sink, const Place& place) {
        using T = std::remove_const_t<typename W::value_type>;
        EXPECT_TRUE(on_gpu::with_wgmma_problem(s, w, in, rows, epilogue, sink, place, [&](auto& p) {
            using on_gpu::detail::WgmmaTableTile;
            constexpr int source_operands = std::remove_reference_t<decltype(p)>::source_operands;
            if constexpr (inlay::detail::halo_taps<Rows> == 2)
                on_gpu::launch_wgmma<WgmmaTableTile<T, wgmma_phases, I, source_operands>>(l, p, parts);
            else if constexpr (inlay::detail::has_halo<Rows>)
                on_gpu::launch_wgmma<WgmmaTableTile<T, wgmma_windows, I, source_operands>>(l, p, parts);
            else
                on_gpu::launch_wgmma<WgmmaTableTile<T, wgmma_boxes, I, source_operands>>(l, p, parts,
                                                                                        wgmma_boxes[I].groups);
        }));
    }
};

struct plain : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct filter : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct phases : UpsampledConv2D<Buf<0>, Add<Out, Buf<1>>> {};

/// Calls f with the storage type and the columns that each schedule of the table of boxes is tried with: columns in
/// groups of 32, of tiles of 80 in groups of 16, come in the order in which lanes keep them, others do not.
template <class F>
void each_box(F&& f) {
    f.template operator()<fp16, 0>(96);
    f.template operator()<fp16, 1>(104);
    f.template operator()<bf16, 2>(112);
    f.template operator()<fp16, 3>(104);
    f.template operator()<bf16, 4>(96);
}
/// The operands of a linear of 150 rows.
template <class T>
struct LinearArrays {
    index_t columns;
    Extents<2> out{{150, columns}};
    Array<T, 2> x = normal<T>(1, 150, 136), w = gaussian<T>(2, 0, 0.08, columns, 136), r = normal<T>(4, 150, columns);
    Array<T, 1> b = normal<T>(3, columns);
};
/// The operands of a convolution of two images that fill no tile, or of three that share one.
template <class T>
struct WindowArrays {
    index_t columns;
    Extents<4> out{{2, 9, 18, columns}}, images{{3, 5, 7, columns}}, twice{{3, 10, 14, columns}};
    Array<T, 4> x = normal<T>(1, 2, 9, 18, 72), small = normal<T>(4, 3, 5, 7, 72),
                w = gaussian<T>(2, 0, 0.05, columns, 3, 3, 72);
    Array<T, 1> b = normal<T>(3, columns);
    /// Of an upsampled image: outputs, and the weights of its phases.
    Extents<4> doubled{{2, 18, 36, columns}};
    Array<T, 3> of_phases = gaussian<T>(5, 0, 0.05, 4, columns, 4 * 72);
};

}  // namespace inlay_test
