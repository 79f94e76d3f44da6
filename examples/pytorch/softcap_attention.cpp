// SPDX-License-Identifier: Apache-2.0
/// An attention of one's own, as Gemma 2 has it: scores under a soft cap, each query sees the keys of a window.
#include "inlay_torch.hpp"

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_torch;

constexpr auto i = query_position;  // the query, counted from the end of the keys
constexpr auto j = coord<3>;        // the key
template <int D>
struct capped : Attention<D, Buf<0>, Buf<1>, Buf<2>, score::Of<decltype(param<0> * tanh(out * param<1>))>,
                          mask::If<decltype(j <= i && i - j < param<2>)>> {};

/// q [B, H, Sq, D], k and v [B, Hkv, Skv, D] of 64 or 128 columns; H is a multiple of Hkv. A score is
/// cap · tanh(q·k / √D / cap), and a query sees itself and the `window` − 1 keys before it.
struct softcap_attention {
    static constexpr const char* schema =
        "inlay_ops::softcap_attention(Tensor q, Tensor k, Tensor v, float cap, int window) -> Tensor";

    static at::Tensor result(const at::Tensor& q, const at::Tensor&, const at::Tensor&, double, std::int64_t) {
        demand_rank(q, 4, "q");
        return empty_result(q.sym_sizes(), q);
    }
    template <class T>
    static void run(Call<T> call, at::Tensor& y, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    double cap, std::int64_t window) {
        const std::int64_t d = q.size(3);
        require(d == 64 || d == 128, "q has heads of ", d, " columns, expected 64 or 128");
        const auto attend = [&]<int D>() {
            launch<capped<D>>(call, write<4>(call, y), read<4>(call, q, "q"), read<4>(call, k, "k"),
                              read<4>(call, v, "v"), cap, 1 / (cap * std::sqrt(double(d))), double(window));
        };
        d == 64 ? attend.template operator()<64>() : attend.template operator()<128>();
    }
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(inlay_ops, library) { add<softcap_attention>(library); }
