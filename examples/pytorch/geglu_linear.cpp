// SPDX-License-Identifier: Apache-2.0
/// The second product of a transformer's feed-forward: GEGLU as it reads, bias and residual as it writes.
#include "inlay_torch.hpp"

namespace {

using namespace inlay;
using namespace inlay_torch;

struct geglu : Linear<Mul<Buf<0>, Gelu<Buf<1>>>, Add<Add<Out, Buf<2>>, Buf<3>>> {};

/// x [B, S, 2 K]: K hidden columns, then K of the gate. weight [N, K], bias [N], residual [B, S, N].
struct geglu_linear {
    static constexpr const char* schema =
        "inlay_ops::geglu_linear(Tensor x, Tensor weight, Tensor bias, Tensor residual) -> Tensor";

    static at::Tensor result(const at::Tensor& x, const at::Tensor& weight, const at::Tensor&, const at::Tensor&) {
        demand_rank(x, 3, "x");
        demand_rank(weight, 2, "weight");
        return empty_result({x.sym_size(0), x.sym_size(1), weight.sym_size(0)}, x);
    }
    template <class T>
    static void run(Call<T> call, at::Tensor& y, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const at::Tensor& residual) {
        const auto both = read<3>(call, x, "x");
        const index_t k = both.extents[2] / 2;
        launch<geglu>(call, write<3>(call, y), read<2>(call, weight.contiguous(), "weight"), narrow(both, 2, 0, k),
                      narrow(both, 2, k, both.extents[2] - k), read<1>(call, bias, "bias"),
                      read<3>(call, residual, "residual"));
    }
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(inlay_ops, library) { add<geglu_linear>(library); }
