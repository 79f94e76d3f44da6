// SPDX-License-Identifier: Apache-2.0
/// Plans of SD1.5's layers on sm_90a in 16 bits: the frames that a person writes for them, at every level of the UNet.
#include <inlay/nn/clip_layer.hpp>
#include <inlay/nn/transformer.hpp>
#include <inlay/nn/vae_mid.hpp>
#include <inlay/rewrite/planner/rules/recorded_group_norm.hpp>

namespace inlay_test::plans {

using namespace inlay;
using namespace inlay::nn;
using planner::Phase;
using planner::Shape;

template <class Layer, class LayerShape, class Rules = types<>>
using plan = planner::plan<Layer, planner::on_sm90a<2>, LayerShape, Rules>;

/// True if the kernels of a plan in a phase are these, in this order, and every cheaper cover was looked at.
template <class Plan, Phase P, class... Frame>
constexpr bool has_kernels() {
    constexpr int in_phase = [] {
        int n = 0;
        for (int k = 0; k < Plan::launches; ++k) n += Plan::kernels[k].phase == static_cast<int>(P);
        return n;
    }();
    return Plan::covers.exact && []<int... K>(std::integer_sequence<int, K...>) {
        using list = join_types<types<>, std::conditional_t<Plan::kernels[K].phase == static_cast<int>(P),
                                                            types<planner::kernel_type<Plan, K>>, types<>>...>;
        return std::is_same_v<list, types<Frame...>>;
    }(std::make_integer_sequence<int, Plan::launches>{}) && in_phase == sizeof...(Frame);
}
/// The same of a plan all of whose kernels run in each step.
template <class Plan, class... Frame>
constexpr bool is_made_of() {
    return Plan::launches == sizeof...(Frame) && has_kernels<Plan, Phase::step, Frame...>();
}

/// Of the numbers that a plan's kernels take.
template <class Plan>
constexpr double sum_of_numbers() {
    return []<int... K>(std::integer_sequence<int, K...>) {
        const auto of_kernel = []<int N, int... I>(std::integer_sequence<int, N>, std::integer_sequence<int, I...>) {
            return (planner::kernel_number<Plan, N, I>() + ... + 0.0);
        };
        return (of_kernel(std::integer_sequence<int, K>{},
                          std::make_integer_sequence<int, planner::kernel_numbers<Plan, K>>{}) + ...);
    }(std::make_integer_sequence<int, Plan::launches>{});
}

using Biased = Add<Out, Buf<1>>;
using BiasResidual = Add<Biased, Buf<2>>;
/// Row Buf<3> of the table Buf<2> [steps, C].
using TimeRow = Reshape<Gather<Buf<2>, Buf<3>, 0>, 1, 1, 1, -1>;
using Skip = Concat<-1, Buf<0>, Buf<1>>;
using MergedHeads = Permuted<Store<0>, 0, 2, 1, 3>;
using Residual = Linear<Buf<0>, BiasResidual>;
template <class X>
using Twice = Concat<0, X, X>;
template <class In, double Eps>
using NormSilu = GroupNorm<32, In, Silu<Out>, Store<0>, Eps>;
template <class Epilogue>
using Conv3x3 = Conv2D<Filter<3>, Buf<0>, Epilogue>;
using InNorm = GroupNorm<32, Buf<0>, Out, Store<0>, 1e-6>;

// ResNet blocks. Axes: batch, height, width, channels in and out, of a tensor and its skip connection, steps.
template <index_t Pixels, index_t C, class Rules = types<>>
constexpr bool same = is_made_of<plan<resnet_same<true, 1e-5>, Shape<2, Pixels, Pixels, C, C, C, C, 50>, Rules>,
                                 NormSilu<Buf<0>, 1e-5>, Conv3x3<Add<Biased, TimeRow>>, NormSilu<Buf<0>, 1e-5>,
                                 Conv3x3<BiasResidual>>();
static_assert(same<64, 320> && same<32, 640> && same<16, 1280> && same<8, 1280>);
// The second norm could read statistics that the first convolution publishes: the price is against it.
static_assert(same<64, 320, planner::rules::recorded_group_rules<32>> &&
              same<8, 1280, planner::rules::recorded_group_rules<32>>);

template <index_t Pixels, index_t In, index_t To>
constexpr bool wider = is_made_of<plan<resnet_wider<true, 1e-5>, Shape<2, Pixels, Pixels, In, To, In, 0, 50>>,
                                  NormSilu<Buf<0>, 1e-5>, Conv3x3<Add<Biased, TimeRow>>, NormSilu<Buf<0>, 1e-5>,
                                  Linear<Buf<0>, Biased>, Conv3x3<BiasResidual>>();
static_assert(wider<32, 320, 640> && wider<16, 640, 1280>);

/// By hand: patches and one product in place of the shortcut's and of the second convolution.
template <index_t Pixels, index_t In, index_t To>
constexpr bool wider_in_columns =
    is_made_of<plan<resnet_wider<true, 1e-5, Shortcuts::in_columns>, Shape<2, Pixels, Pixels, In, To, In, 0, 50>,
                    planner::rules::shortcut_rules<Filter<3>>>,
               NormSilu<Buf<0>, 1e-5>, Conv3x3<Add<Biased, TimeRow>>, NormSilu<Buf<0>, 1e-5>,
               Elementwise<Im2col<Buf<0>, 3, 3, 1, 1>>, Linear<Skip, Add<Out, Buf<2>>>>();
static_assert(wider_in_columns<32, 320, 640> && wider_in_columns<16, 640, 1280>);

template <index_t Pixels, index_t Main, index_t Other, index_t To>
constexpr bool skip = is_made_of<plan<resnet_skip<true, 1e-5>, Shape<2, Pixels, Pixels, 0, To, Main, Other, 50>>,
                                 NormSilu<Skip, 1e-5>, Conv3x3<Add<Biased, TimeRow>>, NormSilu<Buf<0>, 1e-5>,
                                 Linear<Skip, Add<Out, Buf<2>>>, Conv3x3<BiasResidual>>();
static_assert(skip<64, 320, 320, 320> && skip<64, 640, 320, 320> && skip<32, 640, 320, 640> &&
              skip<32, 1280, 640, 640> && skip<16, 1280, 640, 1280> && skip<8, 1280, 1280, 1280>);

// The decoder's: no time, norms of 1e-6.
template <index_t Pixels, index_t C, class Rules = types<>>
constexpr bool without_time = is_made_of<plan<resnet_same<false, 1e-6>, Shape<1, Pixels, Pixels, C, C, C, C, 0>, Rules>,
                                         NormSilu<Buf<0>, 1e-6>, Conv3x3<Biased>, NormSilu<Buf<0>, 1e-6>,
                                         Conv3x3<BiasResidual>>();
static_assert(without_time<64, 512> && without_time<256, 256> && without_time<512, 128>);
static_assert(without_time<64, 512, planner::rules::recorded_group_rules<32, 1e-6>> &&
              without_time<512, 128, planner::rules::recorded_group_rules<32, 1e-6>>);

// Spatial transformers. Axes of rows: batch, positions, channels, positions and features of the text.
/// log2(e) / √D.
template <int D>
inline constexpr double scale = D == 40   ? 0.22811011491194377
                                 : D == 80 ? 0.16129820911147805
                                           : 0.11405505745597189;
template <int D, index_t Positions>
struct Level {
    using rows = Shape<2, Positions, 8 * D, 77, 768>;
    using score_and_products = attention_rules<fp16, D>;
    using attention = Attention<D, Buf<0>, Buf<1>, Buf<2>, score::Base2, Out, MergedHeads>;
    using scaled_attention = Attention<D, Buf<0>, Buf<1>, Buf<2>, Out, MergedHeads>;

    using self_plan = plan<transformer_layers::self_attention<D>, rows, score_and_products>;
    template <class Projections, class Attend>
    static constexpr bool self_of = is_made_of<self_plan, LayerNorm<>, Projections, Attend, Residual>();
    // A factor for each column of Q, K and V, in fp32: 1 but in Q's. One tensor of all columns, whose heads are read by
    // strides, as is Q's of attention to a text.
    static constexpr bool self = self_of<Linear<Buf<0>, Mul<Out, Buf<1>>>, attention>;
    // Fewer positions, by the price of it: scores that are multiplied as they are computed.
    static constexpr bool self_of_fewer = self || self_of<Linear<Buf<0>>, scaled_attention>;

    // Q's columns have one factor, a number in the epilogue, so that heads of every D are of one kernel; written by hand
    // it was the vector of self-attention.
    using cross_plan = plan<transformer_layers::cross_attention<D>, rows, score_and_products>;
    static constexpr bool cross =
        cross_plan::launches == 5 &&
        has_kernels<cross_plan, Phase::step, LayerNorm<>, Linear<Buf<0>, Mul<Out, Param<0>>>, attention,
                    Residual>() &&
        sum_of_numbers<cross_plan>() == scale<D> &&
        has_kernels<cross_plan, Phase::prompt, Linear<Buf<0>>>();

    // Guidance's halves are one up to the norm, which reads them twice, as the last epilogue does the residual. A
    // product that reads rows twice has the portable engine, and an attention that reads Q twice a kernel that copies it.
    using guided_plan = plan<transformer_layers::guided_cross_attention<D>, Shape<1, Positions, 8 * D, 77, 768>,
                             join_types<planner::rules::twice_rules, score_and_products>>;
    static constexpr bool guided_cross =
        guided_plan::launches == 5 &&
        has_kernels<guided_plan, Phase::step, LayerNorm<Twice<Buf<0>>>, Linear<Buf<0>, Mul<Out, Param<0>>>,
                    attention, Linear<Buf<0>, Add<Biased, Twice<Buf<2>>>>>() &&
        sum_of_numbers<guided_plan>() == scale<D> &&
        has_kernels<guided_plan, Phase::prompt, Linear<Buf<0>>>();

    static constexpr bool feed_forward =
        is_made_of<plan<transformer_layers::feed_forward, rows, planner::rules::gated_rules>, LayerNorm<>,
                   Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>>, Residual>();

    template <index_t Pixels>
    using images = Shape<2, Pixels, Pixels, 8 * D, Positions>;
    template <index_t Pixels>
    static constexpr bool ends = is_made_of<plan<transformer_layers::entry, images<Pixels>>, InNorm,
                                            Linear<Buf<0>, Add<Out, Buf<1>>>>() &&
                                 is_made_of<plan<transformer_layers::exit, images<Pixels>>, Residual>();
    template <index_t Pixels>
    static constexpr bool guided_exit =
        is_made_of<plan<transformer_layers::guided_exit, Shape<1, Pixels, Pixels, 8 * D, Positions>,
                        planner::rules::twice_rules>,
                   Linear<Buf<0>, Add<Biased, Twice<Buf<2>>>>>();
};
// The transformer's plans are of 4096 positions, whatever the level.
static_assert(Level<40, 4096>::self && Level<80, 4096>::self && Level<160, 4096>::self);
static_assert(Level<80, 1024>::self_of_fewer && Level<160, 256>::self_of_fewer && Level<160, 64>::self_of_fewer);
static_assert(Level<40, 4096>::cross && Level<80, 1024>::cross && Level<160, 256>::cross && Level<160, 64>::cross);
// Of the first transformer alone.
static_assert(Level<40, 4096>::guided_cross && Level<40, 4096>::guided_exit<64>);
static_assert(Level<40, 4096>::feed_forward && Level<80, 1024>::feed_forward && Level<160, 256>::feed_forward &&
              Level<160, 64>::feed_forward);
static_assert(Level<40, 4096>::ends<64> && Level<80, 1024>::ends<32> && Level<160, 256>::ends<16> &&
              Level<160, 64>::ends<8>);

// The plans with the width of heads as an axis, which models hold, have the kernels of plans of each width.
template <class Open, class Of, int D>
constexpr bool is_of_width = []<int... K>(std::integer_sequence<int, K...>) {
    return Open::launches == Of::launches &&
           (std::is_same_v<planner::kernel_type<Open, K, D>, planner::kernel_type<Of, K>> && ...);
}(std::make_integer_sequence<int, Of::launches>{});
inline constexpr planner::Dim head = transformer_layers::head;
using open_rows = Shape<2, 4096, 320, 77, 768, 40>;
using open_self = plan<transformer_layers::self_attention<head>, open_rows, attention_rules<fp16, head>>;
using open_cross = plan<transformer_layers::cross_attention<head>, open_rows, attention_rules<fp16, head>>;
static_assert(is_of_width<open_self, Level<40, 4096>::self_plan, 40> &&
              is_of_width<open_self, Level<160, 4096>::self_plan, 160> &&
              is_of_width<open_cross, Level<40, 4096>::cross_plan, 40> &&
              is_of_width<open_cross, Level<80, 4096>::cross_plan, 80>);
static_assert(is_of_width<plan<transformer_layers::guided_cross_attention<head>, Shape<1, 4096, 320, 77, 768, 40>,
                               join_types<planner::rules::twice_rules, attention_rules<fp16, head>>>,
                          Level<40, 4096>::guided_plan, 40>);
// A factor of queries is that of the width: 1/√80 of 1/√40's.
static_assert([] {
    constexpr planner::Lengths wider{6, {2, 4096, 640, 77, 768, 80}};
    double of_plan = 0, of_wider = 0;
    const auto add = [&]<int K, int... I>(std::integer_sequence<int, K>, std::integer_sequence<int, I...>) {
        ((of_plan += planner::kernel_number<open_cross, K, I>()), ...);
        ((of_wider += planner::kernel_number<open_cross, K, I>(wider)), ...);
    };
    [&]<int... K>(std::integer_sequence<int, K...>) {
        (add(std::integer_sequence<int, K>{},
             std::make_integer_sequence<int, planner::kernel_numbers<open_cross, K>>{}),
         ...);
    }(std::make_integer_sequence<int, open_cross::launches>{});
    return of_plan == scale<40> && of_wider == scale<80>;
}());

// CLIP's layer of 12 heads, and of the larger text encoder, whose MLP has the exact GELU.
template <bool Quick, index_t Features, class Function>
constexpr bool clip =
    is_made_of<plan<clip_encoder<64, Quick>, Shape<2, 77, Features, 4 * Features>, planner::rules::joined_products>,
               LayerNorm<>, Linear<Buf<0>, Add<Out, Buf<1>>>,
               Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal, Out, MergedHeads>, Residual, LayerNorm<>,
               Linear<Buf<0>, Function>, Residual>();
static_assert(clip<true, 768, QuickGelu<Add<Out, Buf<1>>>> && clip<false, 1024, Gelu<Add<Out, Buf<1>>>>);

// The VAE's middle has one head: Q, K and V are the columns of one product, read by strides; by hand a sink parted
// them.
template <index_t Pixels>
constexpr bool middle =
    is_made_of<plan<pixel_attention<512>, Shape<1, Pixels, Pixels>, planner::rules::joined_products>, InNorm,
               Linear<Buf<0>, Add<Out, Buf<1>>>, Attention<512, Buf<0>, Buf<1>, Buf<2>, Out, MergedHeads>, Residual>();
static_assert(middle<64> && middle<96>);

}  // namespace inlay_test::plans
