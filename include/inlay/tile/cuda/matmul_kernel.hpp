// SPDX-License-Identifier: Apache-2.0
/// C = A · Wᵀ for one tile of C: stages filled ahead of the products, sums gathered, rows finished.
#pragma once

#include <inlay/tile/cuda/matmul_finish.hpp>
#include <inlay/tile/cuda/matmul_load.hpp>
#include <inlay/tile/cuda/matmul_split.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// The ring of stages of a block, and who fills it.
template <class Tile, class Args>
struct Pipeline {
    using Table = RunTable<Tile, Args>;
    const Args& a;
    const Task& task;
    const Thread& t;
    char* const memory;
    const int end;                  // of the block's part of the sum
    Table table;
    LoadA<Tile, Args> load_a;
    LoadB<Tile> load_b;
    Steps next, raw;                // the step that is loaded next, and the one that is evaluated next
    bool enters = true, more;       // whether a run begins with the next step, and whether there is one
    int loaded = 0;                 // steps
    int to = 0, raw_at = 0;         // bytes to the stages of both

    __device__ Pipeline(const Args& args, const Task& task_, const Thread& thread, char* shared)
        : a(args), task(task_), t(thread), memory(shared), end(::min(a.total, (task.part + 1) * a.part)),
          table(shared + a.stages * a.stage_bytes, a.slots), load_a(t), load_b(a, task, t) {
        next.kk = raw.kk = task.part * a.part;
        more = next.kk < end;
        table.start(a, task, t);
    }
    __device__ INLAY_INLINE int after(int stage) const {
        return stage + a.stage_bytes == a.stages * a.stage_bytes ? 0 : stage + a.stage_bytes;
    }
    /// Starts the copies of the next step, if its run is placed, as one group; where a run ends, places the next one. A
    /// barrier stands between two calls.
    __device__ INLAY_INLINE void load(bool placed) {
        if (more) {
            if (placed) {
                if (enters) next.enter(table, a.slots);
                const std::uint32_t stage = shared_address(memory) + to;
                load_a.step(a, table, stage, next);
                load_b.step(a, stage + a.stage_bytes - Tile::b_bytes, next);
                to = after(to);
                ++loaded;
                enters = next.left() <= Tile::k;
                if (!enters) next.j += Tile::k;
            }
            if (enters) {
                const int kk = next.kk + next.facts.run;
                more = kk < end;
                if (more) table.place(a, task, t, next.slot + 1 == a.slots ? 0 : next.slot + 1, kk, end);
            }
        }
        copy_commit();
    }
    /// Evaluates the next step, whose copies have arrived.
    __device__ INLAY_INLINE void evaluate() {
        if (raw.left() > Tile::k) raw.j += Tile::k;
        else raw.enter(table, a.slots);
        load_a.evaluate(a, table, memory + raw_at, raw);
        raw_at = after(raw_at);
    }
};

/// Multiplies the block's part of the sum. Steps are loaded `stages` - 1 ahead; a pointwise input is evaluated one ahead.
template <class Tile, class Args>
__device__ INLAY_INLINE void multiply_steps(const Args& a, Pipeline<Tile, Args>& pipe, WarpProduct<Tile>& product) {
    constexpr bool copies = Pipeline<Tile, Args>::Table::copies;
    const std::uint32_t memory = shared_address(pipe.memory);
    int at = 0;
    for (int step = -a.stages; step < pipe.loaded; ++step) {
        pipe.load(step > -a.stages);
        if constexpr (!copies)
            if (step >= -1) {
                copy_wait(a.stages - 2);
                if (step + 1 < pipe.loaded) pipe.evaluate();
            }
        const auto arrive = [&] {
            if constexpr (copies) copy_wait(a.stages - 2);
            __syncthreads();
        };
        if (step >= 0) {
            product.multiply(memory + at, [&] {
                arrive();
                at = pipe.after(at);
                return memory + at;
            });
        } else {
            arrive();
            if (step == -1) product.begin(memory);
        }
    }
    copy_wait<0>();
    __syncthreads();
}

template <class Tile, class Args>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks) matmul_kernel(const __grid_constant__ Args a) {
    extern __shared__ __align__(128) char matmul_memory[];
    const Thread t;
    const Task task = Task::of<Tile>(a, static_cast<int>(blockIdx.x));
    WarpProduct<Tile> product(t, a.stage_bytes - Tile::b_bytes);
    {
        Pipeline<Tile, Args> pipe(a, task, t, matmul_memory);
        multiply_steps<Tile>(a, pipe, product);
    }
    float* const out = reinterpret_cast<float*>(matmul_memory);
    FinishedSums<Tile> sums(product, out, t);
    if (a.parts > 1) {
        const int tile = static_cast<int>(blockIdx.x) % (a.m_tiles * a.n_tiles) + task.batch * a.m_tiles * a.n_tiles;
        const index_t first = static_cast<index_t>(tile) * a.parts;
        if (!meet_parts<Tile>(sums, a.partial + first * FinishedSums<Tile>::floats, a.semaphores + first, task.part, a.parts, t))
            return;
    }
    sums.store(out, t);
    __syncthreads();
    FinishTile<Tile, Args>::run(a, task, t, matmul_memory);
}

}  // namespace inlay::inline INLAY_ABI::cuda
