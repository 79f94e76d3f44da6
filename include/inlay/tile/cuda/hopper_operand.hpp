// SPDX-License-Identifier: Apache-2.0
/// How the copy engine reads the input of a product: which tensors it maps, and what is left to evaluate.
#pragma once

#include <inlay/expr/access.hpp>
#include <inlay/expr/affine.hpp>
#include <inlay/tile/cuda/hopper_tile.hpp>
#include <inlay/tile/cuda/matmul_runs.hpp>
#include <inlay/tile/cuda/tensor_map.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

/// Rows of an operand as the rows of a tensor, those of a batch item one after the other.
template <class Rows>
concept TensorLike = requires(const Rows& r) { r.lead; };
/// Rows as pixels of images under the taps of a window.
template <class Rows>
concept PixelLike = requires(const Rows& r) { typename Rows::window; r.pixels; };

/// Axes [first, last) of a tensor as one: their extent and the stride from one to the next, 0 where there is no such.
struct Merged {
    index_t extent = 1, stride = 0;
    bool one = true;
};
template <int R>
Merged merged_axes(const Extents<R>& extents, const Extents<R>& strides, int first, int last) {
    Merged m;
    for (int i = last - 1; i >= first; --i) {
        if (extents[i] == 1) continue;
        if (m.extent == 1) m.stride = strides[i];
        else if (strides[i] != m.stride * m.extent) m.one = false;
        m.extent *= extents[i];
    }
    return m;
}

/// What of an expression a map can read: itself, or what a concat of the last axis puts side by side, in two parts.
template <class E>
struct mapped_parts {
    using type = std::conditional_t<inlay::is_affine<E>, types<E>, types<>>;
};
template <auto Axis, class E, class F>
    requires(inlay::is_affine<E> && inlay::is_affine<F>)
struct mapped_parts<node::Concat<Axis, E, F>> {
    using type = types<E, F>;
};
template <class E, int R>
inline constexpr bool joins_last_axis = true;
template <auto Axis, class... E, int R>
inline constexpr bool joins_last_axis<node::Concat<Axis, E...>, R> = [] {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(Axis)>, ParamSlot>) return false;
    else return Axis == -1 || Axis == R - 1;
}();
template <class T, class In, class Parts>
inline constexpr bool parts_are = false;
template <class T, class In, class... E>
inline constexpr bool parts_are<T, In, types<E...>> =
    sizeof...(E) > 0 &&
    joins_last_axis<typename In::expression, rank_of<typename In::expression, typename In::env_type>> &&
    (std::is_same_v<std::remove_cvref_t<decltype(*inlay::detail::AffineOf<In>{std::declval<const In&>()}.of(E{}).data)>,
                    T> &&
     ...);

/// An input as the engine sees it.
struct HopperOperand {
    MappedTensor tensor[2];
    int tensors = 1;
    MappedWindow window;
    HopperRows rows;
    bool ok = false;
};

/// A tensor of extents `e`, of an operand or of a part of its last axis.
template <class T, int R, class Rows>
bool map_part(const MatmulShape& s, const AffineView<T, R>& view, const Extents<R>& e, const Rows& rows,
              MappedTensor& t, const HopperOperand& o) {
    const auto set = [&](int axis, index_t extent, index_t stride) {
        t.extents[axis] = extent;
        t.strides[axis] = stride;
    };
    const index_t channels = e.back(0);
    t.data = view.data;
    t.type = dtype_of<T>;
    if (!view.data) return false;
    if constexpr (TensorLike<Rows>) {
        const bool batched = s.batch > 1;
        const Merged m = merged_axes(rows.lead, view.strides, batched ? 1 : 0, R - 1);
        set(0, channels, view.strides.back(0));
        set(1, s.m, m.stride);
        set(2, s.batch, batched ? view.strides[0] : 0);
        return m.one && m.extent == s.m && t.can_map();
    } else {
        set(0, channels, view.strides[3]);
        if (!o.rows.pixels) {
            const Merged m = merged_axes(rows.pixels, view.strides, 0, 3);
            set(1, s.m, m.stride);
            return m.one && m.extent == s.m && t.can_map();
        }
        for (int i = 1; i < 4; ++i) set(i, e[3 - i], view.strides[3 - i]);
        return t.can_map();
    }
}
/// Windows and images of an operand.
template <class Rows>
void set_rows(const MatmulShape& s, const Rows& rows, HopperOperand& o) {
    o.ok = true;
    HopperRows& g = o.rows;
    if constexpr (PixelLike<Rows>) {
        using Window = typename Rows::window;
        o.window = {Window::rows, Window::cols, Window::stride, Window::before, Window::after, Window::dilation};
        g.images = static_cast<int>(rows.pixels[0]);
        g.height = static_cast<int>(rows.pixels[1]);
        g.width = static_cast<int>(rows.pixels[2]);
        g.in_height = static_cast<int>(rows.height);
        g.in_width = static_cast<int>(rows.width);
        g.stride = Window::stride;
        g.before = Window::before;
        g.cols = Window::cols;
        g.dilation = Window::dilation;
        g.channels = static_cast<int>(s.k);
        // A window of one pixel takes the rows of the input as they are.
        g.pixels =
            Window::rows * Window::cols > 1 || Window::stride > 1 || Window::before + Window::after > 0 || s.batch > 1;
        // The last 64 channels of a group of a convolution would reach into the next group.
        o.ok = o.window.can_map() && (s.batch == 1 || s.k % 64 == 0);
    }
}

/// An input that is copied as it is: E are its parts.
template <class T, class In, class Rows, class... E>
HopperOperand copied_operand(const MatmulShape& s, const In& in, const Rows& rows, types<E...>) {
    HopperOperand o;
    set_rows(s, rows, o);
    o.tensors = sizeof...(E);
    int i = 0;
    const auto add = [&]<class P>(P) {
        const auto e = extents_of<P>(in.env);
        const bool whole = i + 1 == o.tensors || e.back(0) % 64 == 0;  // of 64 channels, which the next part continues
        o.ok = o.ok && whole && (o.tensors == 1 || s.batch == 1) &&
               map_part(s, inlay::detail::AffineOf<In>{in}.of(P{}), e, rows, o.tensor[i], o);
        ++i;
    };
    (add(E{}), ...);
    return o;
}

/// What of an input is evaluated: below an upsampling by 2 of pixels, all.
template <class E>
struct evaluated_part {
    using type = E;
    static constexpr int shift = 0;
};
template <class E, index_t Y, index_t X>
    requires((Y == -3 || Y == 1) && (X == -2 || X == 2))
struct evaluated_part<node::Upsample<E, 2, Y, X>> {
    using type = E;
    static constexpr int shift = 1;
};
/// Leaves of a list that are stored as T, and whether any value is a coordinate.
template <class T, class B, class List>
inline constexpr bool can_evaluate_list = false;
template <class T, class B, class... V>
inline constexpr bool can_evaluate_list<T, B, types<V...>> = [] {
    constexpr auto stored = []<class W>(W) {
        using Node = typename W::node;
        if constexpr (inlay::detail::is_buf<Node>)
            return std::is_same_v<
                T, std::remove_const_t<typename at<Node::slot, typename B::env_type::tensors>::value_type>>;
        else return false;
    };
    return (stored(V{}) || ...) && !(inlay::detail::is_coord<typename V::node> || ...);
}();

/// Where a leaf of an input lies.
template <int R>
struct LeafPlaces {
    static constexpr int most = 8;
    const char* p[most] = {};
    index_t step[most] = {};
    int size[most] = {};
    int leaves = 0;

    template <int I, class U>
    INLAY_FN void leaf(row_cursor<U>& c) {
        if (I >= most) return;
        p[I] = reinterpret_cast<const char*>(c.p);
        step[I] = c.step;
        size[I] = static_cast<int>(sizeof(U));
        if (I >= leaves) leaves = I + 1;
    }
    INLAY_FN void coordinate(coord_cursor&) {}

    /// Of all leaves at a coordinate.
    template <class In>
    static LeafPlaces of(const In& in, const Extents<R>& c) {
        CursorsOf<typename In::expression, In, float> cursors;
        Walk<R> w{c, R - 1, 1};
        cursors.place(in, w, nullptr);
        LeafPlaces l;
        each_leaf<0>(cursors, l);
        return l;
    }
};

/// An input that is evaluated: one leaf differs from row to row, and is a tensor of T. `streamed`: which one.
template <class T, class In, class Rows>
HopperOperand evaluated_operand(const MatmulShape& s, const In& in, const Rows& rows, int shift, int& streamed) {
    constexpr int R = rank_of<typename In::expression, typename In::env_type>;
    HopperOperand o;
    set_rows(s, rows, o);
    o.rows.shift = shift;
    const Extents<R> e = extents_of<typename In::expression>(in.env);
    const auto first = LeafPlaces<R>::of(in, Extents<R>{});
    Extents<R> strides[LeafPlaces<R>::most] = {}, last{};
    for (int i = 0; i < R; ++i) {
        last[i] = e[i] - 1;
        if (e[i] < 2) continue;
        Extents<R> c{};
        c[i] = 1;
        const auto next = LeafPlaces<R>::of(in, c);
        for (int l = 0; l < first.leaves; ++l) strides[l][i] = (next.p[l] - first.p[l]) / first.size[l];
    }
    const auto end = LeafPlaces<R>::of(in, last);
    streamed = -1;
    o.ok = o.ok && s.batch == 1 && first.leaves <= LeafPlaces<R>::most - 1;
    for (int l = 0; l < first.leaves; ++l) {
        bool differs = false;
        // Vectors of channels may differ from image to image.
        for (int i = PixelLike<Rows> && o.rows.pixels ? 1 : 0; i < R - 1; ++i) differs = differs || strides[l][i] != 0;
        const bool affine = end.p[l] - first.p[l] == inlay::detail::offset(last, strides[l]) * first.size[l];
        o.ok = o.ok && affine;
        if (!differs) continue;
        o.ok = o.ok && streamed < 0 && first.size[l] == static_cast<int>(sizeof(T));
        streamed = l;
    }
    o.ok = o.ok && streamed >= 0 &&
           map_part(s, AffineView<T, R>{reinterpret_cast<const T*>(first.p[streamed]), strides[streamed]}, e, rows,
                    o.tensor[0], o);
    return o;
}

/// Operations that are functions of their own on the device. Kernels that hand registers from one warpgroup to another
/// must not call any: ptxas 13.0 crashes.
template <class N>
inline constexpr bool is_function = false;
template <class E>
inline constexpr bool is_function<Sin<E>> = true;
template <class E>
inline constexpr bool is_function<Cos<E>> = true;
template <class Nodes>
inline constexpr bool has_function = false;
template <class... N>
inline constexpr bool has_function<types<N...>> = (is_function<N> || ...);
template <class B>
inline constexpr bool calls_functions = has_function<nodes_of<typename B::expression>>;

/// Whether halo tiles serve an input: 3×3 windows next to each other.
template <class Rows>
inline constexpr bool has_halo = [] {
    if constexpr (PixelLike<Rows>) {
        using W = typename Rows::window;
        return W::rows == 3 && W::cols == 3 && W::stride == 1 && W::dilation == 1;
    } else return false;
}();

}  // namespace detail

/// Whether the types of a product allow its input to be read by the copy engine: as it is, or to be evaluated then.
template <class T, class In, class Rows>
inline constexpr bool can_hopper_copy =
    (std::is_same_v<T, half> || std::is_same_v<T, bf16>) && (detail::TensorLike<Rows> || detail::PixelLike<Rows>) &&
    detail::parts_are<T, In, typename detail::mapped_parts<typename In::expression>::type>;
template <class T, class In, class Rows>
inline constexpr bool can_hopper_evaluate = [] {
    using Part = detail::evaluated_part<typename In::expression>;
    using E = typename Part::type;
    if constexpr (!(std::is_same_v<T, half> || std::is_same_v<T, bf16>) ||
                  !(detail::TensorLike<Rows> || detail::PixelLike<Rows>) || can_hopper_copy<T, In, Rows> ||
                  (Part::shift > 0 && !detail::has_halo<Rows>))
        return false;
    else if constexpr (rung_of<E> != Rung::plain && rung_of<E> != Rung::affine && rung_of<E> != Rung::pointwise)
        return false;
    else return detail::can_evaluate_list<T, In, typename flatten<E>::values>;
}();
template <class T, class In, class Rows, class Epilogue>
inline constexpr bool can_hopper = (can_hopper_copy<T, In, Rows> ||
                                    can_hopper_evaluate<T, In, Rows>)&&!detail::calls_functions<In> &&
                                   !detail::calls_functions<Epilogue>;

}  // namespace inlay::inline INLAY_ABI::cuda
