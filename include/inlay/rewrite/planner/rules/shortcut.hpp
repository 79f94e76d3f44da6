// SPDX-License-Identifier: Apache-2.0
/// The shortcut of a ResNet block as more columns of its second convolution: one product less, and no pass over the
/// shortcut's result.
#pragma once

#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/im2col.hpp>
#include <inlay/rewrite/planner/load/joined.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

namespace detail {

/// Windows of one column of groups and of stride 1 that keep the image's size.
template <class Window>
inline constexpr bool keeps_size =
    Window::stride == 1 && Window::groups == 1 && Window::dilation == 1 && Window::rows == Window::cols &&
    Window::rows % 2 == 1 && Window::before == Window::rows / 2 && Window::after == Window::before;

/// True for an image [B, H, W, C] of more than a pixel in each direction. One pixel has the extents of a tensor that
/// broadcasts over pixels.
constexpr bool is_image(const ClassData& d) {
    return d.rank == 4 && d.extents[1] > 1 && d.extents[2] > 1;
}
constexpr bool same_pixels(const ClassData& a, const ClassData& b) {
    return is_image(a) && b.rank == 4 && a.extents[0] == b.extents[0] && a.extents[1] == b.extents[1] &&
           a.extents[2] == b.extents[2];
}

template <bool First, class A, class B>
using either_order = std::conditional_t<First, sum<A, B>, sum<B, A>>;

}  // namespace detail

/// A convolution of one tap is a product over the channels: conv(x, w) = linear(x, w as [O, C]).
///
/// Proof: its patches are the pixels themselves. Exact.
struct ConvolutionOfOneTap {
    using from = Term<core::Conv2D<Filter<1>>, Var<0>, Var<1>>;
    using to = linear<Var<0>, Term<load::AsMatrix, Var<1>>>;
    static constexpr const char* name = "convolution of one tap is a product";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && are_weights<1>(graph, match);
    }
};

/// conv(h, w) + linear(x, v) = linear([patches of h, x], [w, v]), in either order.
///
/// Proof: conv(h, w)[m, n] = Σ_j P[m, j] w[n, j] over the patches P of h, zero outside the image, and the shortcut is
/// Σ_i x[m, i] v[n, i]. Their sum is one product of the concatenations [P, x] and [w, v]. Exact.
///
/// Condition: stride 1, and a window that keeps the image's size; x has a value for each pixel. A product of [B, 1, 1,
/// C] that is added to all pixels, as a time embedding is, has no place in the patches.
template <class Window, bool First>
struct ShortcutInColumns {
    using from = detail::either_order<First, Term<core::Conv2D<Window>, Var<0>, Var<1>>, linear<Var<2>, Var<3>>>;
    using patches = Expression<Im2col<Buf<0>, Window::rows, Window::cols, 1, Window::before>>;
    using to = linear<Term<Expression<Concat<-1, Buf<0>, Buf<1>>>, Term<patches, Var<0>>, Var<2>>,
                      Term<load::JoinColumns, Var<1>, Var<3>>>;
    static constexpr const char* name = "shortcut in columns of the convolution";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && detail::keeps_size<Window> && are_weights<1, 3>(graph, match) &&
               detail::same_pixels(data<0>(graph, match), data<2>(graph, match));
    }
};

namespace detail {

/// True if class a is a convolution by Window and class b a product of images of the same size, or b and a.
template <class Window, class G>
constexpr bool meet(const G& graph, egraph::Id a, egraph::Id b) {
    const auto pair = [&](egraph::Id conv, egraph::Id product) {
        return has_node<core::Conv2D<Window>>(graph, conv) && has_node<core::Linear>(graph, product);
    };
    return keeps_size<Window> && same_pixels(graph.data(a), graph.data(b)) && (pair(a, b) || pair(b, a));
}

template <class Window, bool BiasOfFirst, bool BiasOfSecond>
struct shortcut_biases {
    using from = sum<sum<Var<0>, Var<1>>, sum<Var<2>, Var<3>>>;
    using to = sum<sum<Var<0>, Var<2>>, Term<load::SumOfVectors, Var<1>, Var<3>>>;
};
template <class Window>
struct shortcut_biases<Window, true, false> {
    using from = sum<sum<Var<0>, Var<1>>, Var<2>>;
    using to = sum<sum<Var<0>, Var<2>>, Var<1>>;
};
template <class Window>
struct shortcut_biases<Window, false, true> {
    using from = sum<Var<0>, sum<Var<2>, Var<3>>>;
    using to = sum<sum<Var<0>, Var<2>>, Var<3>>;
};

}  // namespace detail

/// (p + b) + (q + c) = (p + q) + (b + c), and with one bias alone: p and q side by side, for the rule above.
///
/// Proof: addition is associative and commutative. Exact; the sum of two biases is kept in fp32.
///
/// Condition: p is a convolution and q a product that the rule above takes, or q and p; b and c are vectors known at
/// load. Association without it would grow without bound.
template <class Window, bool BiasOfFirst, bool BiasOfSecond>
struct ShortcutBiases {
    using shape = detail::shortcut_biases<Window, BiasOfFirst, BiasOfSecond>;
    using from = typename shape::from;
    using to = typename shape::to;
    static constexpr const char* name = "biases of a convolution and its shortcut";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && is_bias<1, BiasOfFirst>(graph, match) &&
               is_bias<3, BiasOfSecond>(graph, match) && detail::meet<Window>(graph, match.var[0], match.var[2]);
    }

private:
    template <int I, bool There, class G, class M>
    static constexpr bool is_bias(const G& graph, const M& match) {
        if constexpr (!There) return true;
        else return are_weights<I>(graph, match) && data<I>(graph, match).rank == 1;
    }
};

/// Rules that a convolution brings.
template <class Window>
using shortcut_rules =
    types<ShortcutInColumns<Window, true>, ShortcutInColumns<Window, false>, ShortcutBiases<Window, true, true>,
          ShortcutBiases<Window, true, false>, ShortcutBiases<Window, false, true>>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
