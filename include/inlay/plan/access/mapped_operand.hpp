// SPDX-License-Identifier: Apache-2.0
/// The input of a product as the copy engine of sm_90a reads it: the tensors it maps, or the reason why it cannot.
#pragma once

#include <inlay/expr/access.hpp>
#include <inlay/expr/affine.hpp>
#include <inlay/frame/row_map.hpp>
#include <inlay/plan/access/mapped_tensor.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI {

/// The kind of place of A's rows. Boxes: row m of the matrix is row m of the map. Pixels: it is the pixel under a tap
/// of output m.
struct MappedRows {
    bool pixels = false;
    int width = 1, height = 1;              ///< of the output
    int stride = 1, before = 0, cols = 1, dilation = 1;
    int channels = 0;                       ///< of a batch item, which begins as many further
    int images = 1;
    /// Pixels of what is copied, and how far coordinates of the input shift to those of it (1: upsampled by 2).
    int in_width = 1, in_height = 1, shift = 0;
};

/// A tensor of an input that is evaluated: its first channel of the first image, and how many elements further the next
/// channel is and the next image.
struct WgmmaLeaf {
    const void* p = nullptr;
    index_t channel = 0, image = 0;
};

/// An input as the engine maps it.
struct WgmmaOperand {
    static constexpr int most_leaves = 7;
    MappedTensor tensor[2];
    int tensors = 1;
    MappedWindow window;
    MappedRows rows;
    WgmmaLeaf leaf[most_leaves];   ///< of an input that is evaluated
    unsigned streamed = 0;          ///< a bit for each that is copied, the others being vectors of channels
    const char* refused = nullptr;  ///< the reason for which the engine refuses it
    void refuse(bool when, const char* why) {
        if (when && !refused) refused = why;
    }
};

namespace detail {

/// Taps of a line of an input's windows that halo tiles serve: 3×3 filters at stride 1, and phases of 2×2; 0: none.
template <class Rows>
inline constexpr int halo_taps = [] {
    if constexpr (PhasedRowMap<Rows>) {
        return Rows::window::rows;
    } else if constexpr (WindowRowMap<Rows>) {
        using W = typename Rows::window;
        return W::rows == 3 && W::cols == 3 && W::stride == 1 && W::dilation == 1 ? 3 : 0;
    } else return 0;
}();
template <class Rows>
inline constexpr bool has_halo = halo_taps<Rows> > 0;

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

/// The part of an input that is copied or evaluated: all of it below an upsampling by 2 of pixels.
template <class E>
struct below_upsample {
    using type = E;
    static constexpr int shift = 0;
};
template <class E, index_t Y, index_t X>
    requires((Y == -3 || Y == 1) && (X == -2 || X == 2))
struct below_upsample<node::Upsample<E, 2, Y, X>> {
    using type = E;
    static constexpr int shift = 1;
};

/// The parts of an expression that maps can read: itself, or the two operands of a concat of the last axis.
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
/// True if maps can read all parts of an expression E of T.
template <class T, class In, class E, class Parts = typename mapped_parts<E>::type>
inline constexpr bool parts_are = false;
template <class T, class In, class Whole, class... E>
inline constexpr bool parts_are<T, In, Whole, types<E...>> =
    sizeof...(E) > 0 && joins_last_axis<Whole, rank_of<Whole, typename In::env_type>> &&
    (std::is_same_v<std::remove_cvref_t<decltype(*AffineOf<In>{std::declval<const In&>()}.of(E{}).tensor)>, T> && ...);

inline constexpr const char *uneven_addresses = "rows of the input do not start at multiples of 16 bytes",
                            *uneven_rows = "the rows of the input are not evenly apart";

/// A tensor of extents `e`, of an operand or of a part of its last axis.
template <class T, int R, class Rows>
void map_part(const MatmulShape& s, const AffineMap<T, R>& view, const Extents<R>& e, const Rows& rows,
              MappedTensor& t, WgmmaOperand& o) {
    const auto set = [&](int axis, index_t extent, index_t stride) {
        t.extents[axis] = extent;
        t.strides[axis] = stride;
    };
    const index_t channels = e.back(0);
    t.data = reinterpret_cast<const void*>(view.address());
    t.type = dtype_of<T>;
    o.refuse(!view.exists, uneven_rows);
    if (o.refused) return;
    if constexpr (TensorRowMap<Rows>) {
        const bool batched = s.batch > 1;
        const Merged m = merged_axes(rows.lead, view.strides, batched ? 1 : 0, R - 1);
        set(0, channels, view.strides.back(0));
        set(1, s.m, m.stride);
        set(2, s.batch, batched ? view.strides[0] : 0);
        o.refuse(!m.one || m.extent != s.m, uneven_rows);
    } else {
        set(0, channels, view.strides[3]);
        if (o.rows.pixels) {
            for (int i = 1; i < 4; ++i) set(i, e[3 - i], view.strides[3 - i]);
        } else {
            const Merged m = merged_axes(rows.pixels, view.strides, 0, 3);
            set(1, s.m, m.stride);
            o.refuse(!m.one || m.extent != s.m, uneven_rows);
        }
    }
    o.refuse(!t.can_map(), uneven_addresses);
}
/// Windows and images of an operand, of pixels that are upsampled by 2^shift.
template <class Rows>
void set_rows(const MatmulShape& s, const Rows& rows, int shift, WgmmaOperand& o) {
    MappedRows& g = o.rows;
    if constexpr (WindowRowMap<Rows>) {
        using Window = typename Rows::window;
        o.window = {Window::rows, Window::cols, Window::stride, Window::before, Window::after, Window::dilation};
        g.images = static_cast<int>(rows.pixels[0]);
        g.height = static_cast<int>(rows.pixels[1]);
        g.width = static_cast<int>(rows.pixels[2]);
        g.in_height = static_cast<int>(rows.height >> shift);
        g.in_width = static_cast<int>(rows.width >> shift);
        g.shift = shift;
        g.stride = Window::stride;
        g.before = Window::before;
        g.cols = Window::cols;
        g.dilation = Window::dilation;
        g.channels = PhasedRowMap<Rows> ? 0 : static_cast<int>(s.k);
        // A window of one pixel takes the rows of the input as they are.
        g.pixels =
            Window::rows * Window::cols > 1 || Window::stride > 1 || Window::before + Window::after > 0 || s.batch > 1;
        o.refuse(!o.window.can_map(), "its window is larger than the copy engine's");
        o.refuse(g.channels > 0 && s.batch > 1 && s.k % 64 != 0, "64 channels would reach into the next group");
    }
}

/// An input that is copied as it is, or upsampled: E are its parts.
template <class T, class In, class Rows, class... E>
WgmmaOperand copied_operand(const MatmulShape& s, const In& in, const Rows& rows, int shift, types<E...>) {
    WgmmaOperand o;
    set_rows(s, rows, shift, o);
    o.tensors = sizeof...(E);
    o.refuse(o.tensors > 1 && s.batch > 1 && !PhasedRowMap<Rows>, "its parts are joined in a batch");
    int i = 0;
    const auto add = [&]<class P>(P) {
        const auto e = extents_of<P>(in.env);
        o.refuse(i + 1 < o.tensors && e.back(0) % 64 != 0, "the first part of what is joined is no multiple of 64");
        map_part(s, AffineOf<In>{in}.of(P{}), e, rows, o.tensor[i], o);
        ++i;
    };
    (add(E{}), ...);
    return o;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
