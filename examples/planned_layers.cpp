// SPDX-License-Identifier: Apache-2.0
/// Layers of Stable Diffusion 1.5 as the planner sees them. The first argument names a layer: `resnet`, `shortcut` (the
/// same with the rules for its shortcut), `self`, `cross` or `feed_forward`. The second one is left out for the plan's
/// explanation; `dot` or `json` for the e-graph; `kernels` for the plan's kernels and `written` for the layer before
/// it, a kernel for each operation, both for Graphviz.
#include <inlay/nn/resnet.hpp>
#include <inlay/nn/transformer.hpp>
#include <inlay/report/egraph/json.hpp>
#include <inlay/report/planner/explain.hpp>
#include <inlay/report/planner/kernels.hpp>
#include <inlay/report/planner/picture.hpp>
#include <inlay/rewrite/planner/rules/shortcut.hpp>

#include <cstdio>
#include <string>

using namespace inlay;

template <class Layer, class Shape, class Rules = types<>>
using plan_of = planner::plan<Layer, planner::on_sm90a<2>, Shape, Rules>;

/// Two images (both halves of guidance) of 32×32 latents, 640 channels to 1280; tokens of 64×64 latents, 320 features.
using Images = planner::Shape<2, 32, 32, 640, 1280, 640, 640, 50>;
using Rows = planner::Shape<2, 4096, 320, 77, 768>;
using resnet = nn::resnet_wider<true, 1e-5>;
using self_attention = nn::transformer_layers::self_attention<40>;
using cross_attention = nn::transformer_layers::cross_attention<40>;
using feed_forward = nn::transformer_layers::feed_forward;

static_assert(plan_of<resnet, Images>::launches == 5);
static_assert(plan_of<feed_forward, Rows, planner::rules::gated_rules>::launches == 3);

/// A placement by hand: GELU is in no memory, so that the second product computes it of each element that it reads.
struct fused_gelu {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto x = input<0, dim<0>, 320>;
        return linear<"fc2", 320, 1280>(fuse(gelu(linear_without_bias<"fc1", 1280, 320>(x))));
    }
};
using second_product = planner::kernel_type<plan_of<fused_gelu, planner::Shape<4096>>, 1>;
static_assert(std::same_as<second_product, Linear<Gelu<Buf<0>>, Add<Out, Buf<1>>>>);

template <class Layer, class Shape, class Rules = types<>>
std::string text(const std::string& form) {
    using plan = plan_of<Layer, Shape, Rules>;
    if (form == "dot") return egraph::dot(planner::picture<plan>(), " ns");
    if (form == "json") return egraph::json(planner::picture<plan>());
    if (form == "kernels") return planner::kernels_dot<plan>();
    if (form == "written") return planner::written_dot<plan_of<Layer, Shape>>();
    return planner::explain<plan>();
}

int main(int argc, char** argv) {
    const std::string chosen = argc > 1 ? argv[1] : "resnet", form = argc > 2 ? argv[2] : "";
    const std::string printed =
        chosen == "shortcut"       ? text<resnet, Images, planner::rules::shortcut_rules<Filter<3, 3>>>(form)
        : chosen == "self"         ? text<self_attention, Rows, nn::attention_rules<fp16, 40>>(form)
        : chosen == "cross"        ? text<cross_attention, Rows, nn::attention_rules<fp16, 40>>(form)
        : chosen == "feed_forward" ? text<feed_forward, Rows, planner::rules::gated_rules>(form)
                                   : text<resnet, Images>(form);
    std::fputs(printed.c_str(), stdout);
}
