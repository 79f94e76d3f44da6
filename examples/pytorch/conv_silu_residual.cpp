// SPDX-License-Identifier: Apache-2.0
/// The second half of a ResNet block without its norm: SiLU as a 3×3 convolution reads, bias and residual as it writes.
#include "inlay_torch.hpp"

namespace {

using namespace inlay;
using namespace inlay_torch;

struct conv : Conv2D<Filter<3>, Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};

/// x [B, C, H, W], weight [O, C, 3, 3], bias [O], residual [B, O, H, W]. Fastest where they are torch.channels_last, as
/// the result is: Inlay's channels are last, too.
struct conv_silu_residual {
    static constexpr const char* schema =
        "inlay_ops::conv_silu_residual(Tensor x, Tensor weight, Tensor bias, Tensor residual) -> Tensor";

    static at::Tensor result(const at::Tensor& x, const at::Tensor& weight, const at::Tensor&, const at::Tensor&) {
        demand_rank(x, 4, "x");
        demand_rank(weight, 4, "weight");
        return empty_result({x.sym_size(0), weight.sym_size(0), x.sym_size(2), x.sym_size(3)}, x,
                            at::MemoryFormat::ChannelsLast);
    }
    template <class T>
    static void run(Call<T> call, at::Tensor& y, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const at::Tensor& residual) {
        const at::Tensor w = weight.contiguous(at::MemoryFormat::ChannelsLast);
        launch<conv>(call, channels_last(write<4>(call, y)), channels_last(read<4>(call, w, "weight")),
                     channels_last(read<4>(call, x, "x")), read<1>(call, bias, "bias"),
                     channels_last(read<4>(call, residual, "residual")));
    }
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(inlay_ops, library) { add<conv_silu_residual>(library); }
