// SPDX-License-Identifier: Apache-2.0
/// The one kernel of the library. Its work is a body: a struct with the work of one block. A body reads neither the
/// block's number nor the kernel's parameters itself, so that it also runs inside another kernel, or under another tile
/// scheduler.
///
///     struct Body {
///         struct Arguments { … };                     // parameters, in constant memory
///         static constexpr int threads, min_blocks;   // launch bounds; min_blocks: of a multiprocessor, 0: any
///         using Scheduler = PersistentTiles;          // optional, else TileOfBlock
///         static constexpr int alignment;             // optional: of shared memory, 16 (the default), 256 or 1024
///         static constexpr Images images;             // optional: the kernel of other images is empty
///         template <class Tiles>                      // Scheduler, or one that is used alike
///         static __device__ void run(const Arguments&, Tiles, char* shared);
///     };
#pragma once

#include <inlay/tile/gpu/scheduler.hpp>

#include <concepts>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <class Body>
struct SchedulerOf {
    using type = TileOfBlock;
};
template <class Body>
    requires requires { typename Body::Scheduler; }
struct SchedulerOf<Body> {
    using type = typename Body::Scheduler;
};
template <class Body>
consteval int shared_alignment() {
    if constexpr (requires { Body::alignment; }) return Body::alignment;
    else return 16;
}
template <class Body>
consteval Images images_of() {
    if constexpr (requires { Body::images; }) return Body::images;
    else return Images::all;
}

}  // namespace detail

/// The tile scheduler of a body's kernel.
template <class Body>
using scheduler_of = typename detail::SchedulerOf<Body>::type;

template <class B>
concept KernelBody = requires(void (*run)(const typename B::Arguments&, scheduler_of<B>, char*)) {
    requires B::threads > 0 && B::threads <= 1024 && B::min_blocks >= 0;
    run = &B::run;      // a call would be looked for among host functions
};

/// Dynamic shared memory has a name for each alignment: of the greatest alone, blocks with variables beside it would
/// lose up to 1 KB.
template <KernelBody Body>
__global__ void INLAY_LAUNCH_BOUNDS(Body::threads, Body::min_blocks)
    kernel(INLAY_GRID_CONSTANT typename Body::Arguments arguments) {
    if constexpr (in_image<detail::images_of<Body>()>()) {
        constexpr scheduler_of<Body> tiles{};
        constexpr int alignment = detail::shared_alignment<Body>();
        static_assert(alignment == 16 || alignment == 256 || alignment == 1024);
        // Passed from where they are declared: returned by a function, they cost registers.
        if constexpr (alignment == 16) {
            extern __shared__ __align__(16) char shared_16[];
            Body::run(in_place(arguments), tiles, shared_16);
        } else if constexpr (alignment == 256) {
            extern __shared__ __align__(256) char shared_256[];
            Body::run(in_place(arguments), tiles, shared_256);
        } else {
            extern __shared__ __align__(1024) char shared_1024[];
            Body::run(in_place(arguments), tiles, shared_1024);
        }
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
