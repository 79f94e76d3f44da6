// SPDX-License-Identifier: Apache-2.0
/// The one kernel of the library. What it computes is a body: a struct with the work of one block. A body reads neither
/// the block's number nor the kernel's parameters itself, so that it also runs inside another kernel, or under another
/// tile scheduler.
///
///     struct Body {
///         struct Arguments { … };                  // parameters, in constant memory
///         static constexpr int threads, min_blocks;   // launch bounds; min_blocks: of a multiprocessor, 0: any
///         using Scheduler = PersistentTiles;          // optional, else TileOfBlock
///         static constexpr int alignment;             // optional: of shared memory, else 16 bytes
///         static constexpr Images images;             // optional: the kernel of other images is empty
///         static __device__ void run(const Arguments&, Scheduler, char* shared);
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

/// Dynamic shared memory. Of one alignment for all, blocks with variables beside it would lose up to 1 KB of it.
template <int Alignment>
__device__ INLAY_INLINE char* dynamic_shared_memory() {
    static_assert(Alignment == 16 || Alignment == 256 || Alignment == 1024);
    if constexpr (Alignment == 16) {
        extern __shared__ __align__(16) char shared_16[];
        return shared_16;
    } else if constexpr (Alignment == 256) {
        extern __shared__ __align__(256) char shared_256[];
        return shared_256;
    } else {
        extern __shared__ __align__(1024) char shared_1024[];
        return shared_1024;
    }
}

}  // namespace detail

/// How the blocks of a body's kernel share its work tiles.
template <class Body>
using scheduler_of = typename detail::SchedulerOf<Body>::type;

template <class B>
concept KernelBody = requires(const typename B::Arguments& arguments, scheduler_of<B> tiles, char* shared) {
    requires B::threads > 0 && B::threads <= 1024 && B::min_blocks >= 0;
    { scheduler_of<B>::of_block() } -> std::same_as<scheduler_of<B>>;
    { B::run(arguments, tiles, shared) } -> std::same_as<void>;
};

template <KernelBody Body>
__global__ void __launch_bounds__((Body::threads), (Body::min_blocks))
    kernel(const __grid_constant__ typename Body::Arguments arguments) {
    if constexpr (in_image<detail::images_of<Body>()>())
        Body::run(arguments, scheduler_of<Body>::of_block(),
                  detail::dynamic_shared_memory<detail::shared_alignment<Body>()>());
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
