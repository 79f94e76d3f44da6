// SPDX-License-Identifier: Apache-2.0
/// A pixel tile: pixels of one thread at 8 channels, evaluated once and kept in shared memory for a second visit. Slots
/// belong to one thread, so nothing waits for a barrier. An expression of views over one storage type is copied there
/// in the background as it is stored; any other is evaluated to floats.
#pragma once

#include <inlay/plan/norm/decide.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/index/pixels.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/norm/split.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The slots of one thread, for chunks of 8 elements of T: 16 bytes at a time beside those of the other threads.
template <class T>
struct Slots {
    static constexpr int planes = 8 * sizeof(T) / 16, per_plane = 16 / sizeof(T);
    unsigned char* base;
    int apart;              ///< bytes: 16 · threads

    __device__ Slots(unsigned char* memory, int threads)
        : base(memory + 16 * thread_index<unsigned>()), apart(16 * threads) {}

    __device__ INLAY_INLINE T* plane(int slot, int i) const {
        return reinterpret_cast<T*>(base + (slot * planes + i) * apart);
    }
    __device__ INLAY_INLINE Vec<float, 8> load(int slot) const {
        Vec<float, 8> v;
        INLAY_UNROLL
        for (int i = 0; i < planes; ++i) {
            const auto part = load_vector<per_plane>(plane(slot, i));
            INLAY_UNROLL
            for (int j = 0; j < per_plane; ++j) v.v[i * per_plane + j] = part.v[j];
        }
        return v;
    }
    __device__ INLAY_INLINE void store(int slot, const Vec<float, 8>& v) const {
        static_assert(std::is_same_v<T, float>);
        INLAY_UNROLL
        for (int i = 0; i < planes; ++i)
            *reinterpret_cast<float4*>(plane(slot, i)) =
                make_float4(v.v[4 * i], v.v[4 * i + 1], v.v[4 * i + 2], v.v[4 * i + 3]);
    }
};

/// The pixels of one thread, `rows` apart: step i is pixel first + i · rows. Steps [0, kept) have slots of their own;
/// of the others, the last ones visited share `ahead` slots behind them.
struct PixelSteps {
    index_t first;
    int rows, count, ahead, kept;

    /// Steps with `slots`: as many as steps, or at least `in_flight`, a power of two.
    __device__ PixelSteps(index_t begin, int apart, int steps, int slots, int in_flight)
        : first(begin), rows(apart), count(steps), ahead(in_flight), kept(steps > slots ? slots - in_flight : steps) {}
    __device__ INLAY_INLINE int slot(int i) const {
        const int shared = kept + ((i - kept) & (ahead - 1));
        return i < shared ? i : shared;
    }
    __device__ INLAY_INLINE index_t pixel(int i) const { return first + index_t(i) * rows; }
    /// Waits for the oldest of `ahead` groups of copies, 4 or 8.
    __device__ INLAY_INLINE void wait() const {
        if (ahead == 8) copy_wait<7>();
        else copy_wait<3>();
    }
};

namespace detail {

/// The places of a thread's chunks: as vectors, `jump` bytes from step to step, or else anywhere.
template <class T>
struct PixelCursor {
    T* p = nullptr;
    int jump = 0;
    LaneFlag vectors = false;

    PixelCursor() = default;
    /// Finds them from the places of pixels 0 and 1; `along`: elements between neighbours along the channels, for `run`
    /// of them.
    template <class Steps>
    __device__ PixelCursor(T* zero, T* one, const Steps& steps, index_t along, index_t run, int n)
        : p(zero + (one - zero) * steps.first) {
        const index_t bytes = (one - zero) * steps.rows * static_cast<index_t>(sizeof(T));
        jump = static_cast<int>(bytes);
        vectors = n == 8 && run >= 8 && along == 1 && jump == bytes && is_aligned(p, vector_alignment<T, 8>) &&
                  jump % vector_alignment<T, 8> == 0;
        keep_in_lanes(vectors);
    }
    __device__ INLAY_INLINE T* at(int i) const {
        using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
        return reinterpret_cast<T*>(reinterpret_cast<Byte*>(p) + index_t(i) * jump);
    }
};

}  // namespace detail

/// Any expression: its values as floats. To evaluate one takes registers, so blocks have fewer threads.
template <class In>
struct ValueSource {
    using element = float;
    static constexpr int threads = group_norm_threads(true);
    In in;

    struct Cursor {};
    template <class Steps, class Pixels>
    __device__ Cursor open(const Steps&, const Pixels&, index_t, index_t, int) const {
        return {};
    }
    template <class S, class Steps, class Pixels>
    __device__ INLAY_INLINE void fetch(const S& slots, const Cursor&, const Steps& steps, int i, const Pixels& pixels,
                                       index_t b, index_t channel, int n) const {
        slots.store(steps.slot(i), read_chunk<8>(in, pixels.at(b, steps.pixel(i), channel), n));
    }
};

/// An expression of views over tensors of T at flat pixels.
template <class In, class T>
struct StoredSource {
    using element = T;
    static constexpr int threads = group_norm_threads(false);
    using Cursor = detail::PixelCursor<const T>;
    In in;

    template <class Steps, class Pixels>
    __device__ Cursor open(const Steps& steps, const Pixels& pixels, index_t b, index_t channel, int n) const {
        const Place zero = locate(pixels.at(b, 0, channel)), one = locate(pixels.at(b, 1, channel));
        return {zero.p, one.p, steps, zero.along, zero.run, n};
    }
    template <class S, class Steps, class Pixels>
    __device__ INLAY_INLINE void fetch(const S& slots, const Cursor& cursor, const Steps& steps, int i,
                                       const Pixels& pixels, index_t b, index_t channel, int n) const {
        const int slot = steps.slot(i);
        if (cursor.vectors) {
            INLAY_UNROLL
            for (int j = 0; j < S::planes; ++j)
                copy_async(shared_address(slots.plane(slot, j)), cursor.at(i) + j * S::per_plane);
        } else {
#pragma unroll 1
            for (int j = 0; j < n; ++j)
                slots.plane(slot, j / S::per_plane)[j % S::per_plane] =
                    *locate(pixels.at(b, steps.pixel(i), channel + j)).p;
        }
    }

private:
    /// The address of an element, the distance to the next one along the channels, and the number for which it holds.
    struct Place {
        const T* p = nullptr;
        index_t along = 0, run = 1;
    };
    struct Locator {
        using scalar = float;
        using value = Place;
        __device__ INLAY_INLINE Place load(const T* p, index_t step, index_t) const { return {p, step, 1}; }
    };
    template <int R>
    __device__ INLAY_INLINE Place locate(const Extents<R>& c) const {
        CursorsOf<typename In::expression, In, float> cursors;
        Walk<R> w{c, R - 1, index_t(8)};
        cursors.place(in, w, nullptr);
        Place p = cursors.eval(in, Locator{}, 0);
        p.run = w.run;
        return p;
    }
};

/// Any sink.
template <class Sink>
struct ValueStore {
    using stored = detail::stored_by<Sink>;
    Sink sink;

    struct Cursor {};
    template <class Steps, class Pixels>
    __device__ Cursor open(const Steps&, const Pixels&, index_t, index_t, int) const {
        return {};
    }
    template <class Steps, class Pixels>
    __device__ INLAY_INLINE void write(const Cursor&, const Steps& steps, int i, const Pixels& pixels, index_t b,
                                       index_t channel, int n, const Vec<float, 8>& v) const {
        write_chunk<8>(sink, pixels.at(b, steps.pixel(i), channel), n, v);
    }
};

/// A sink that stores to a tensor of T as it is, at flat pixels.
template <class Sink, class T>
struct PackedStore {
    using Cursor = detail::PixelCursor<T>;
    using stored = T;
    Sink sink;

    template <class Steps, class Pixels>
    __device__ Cursor open(const Steps& steps, const Pixels& pixels, index_t b, index_t channel, int n) const {
        const auto& t = get<inlay::detail::stored_slot<typename Sink::sink>>(sink.outs);
        return {&t(pixels.at(b, 0, channel)), &t(pixels.at(b, 1, channel)), steps, t.strides.back(0), 8, n};
    }
    template <class Steps, class Pixels>
    __device__ INLAY_INLINE void write(const Cursor& cursor, const Steps& steps, int i, const Pixels& pixels, index_t b,
                                       index_t channel, int n, const Vec<float, 8>& v) const {
        if (cursor.vectors) store_vector<8>(cursor.at(i), v);
        else write_chunk<8>(sink, pixels.at(b, steps.pixel(i), channel), n, v);
    }
};

namespace detail {

template <class In, class T>
struct source {
    using type = StoredSource<In, T>;
};
template <class In>
struct source<In, void> {
    using type = ValueSource<In>;
};
template <class Sink, bool Flat>
struct drain {
    using type = ValueStore<Sink>;
};
template <class Sink>
struct drain<Sink, true> {
    using Out = std::remove_cvref_t<
        decltype(get<inlay::detail::stored_slot<typename Sink::sink>>(std::declval<Sink>().outs))>;
    using type = PackedStore<Sink, typename Out::value_type>;
};

}  // namespace detail

/// The source of a thread's slots: the values of a bound expression.
template <class In, bool Flat>
using SourceOf = typename detail::source<In, kept_type<In, Flat>>::type;
/// The store of results.
template <class Sink, bool Flat>
using PixelStoreOf = typename detail::drain<Sink, Flat>::type;

}  // namespace inlay::inline INLAY_ABI::on_gpu
