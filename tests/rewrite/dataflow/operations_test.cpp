// SPDX-License-Identifier: Apache-2.0
/// Operations alone: where each takes its operands from, the tile that it makes, and the bytes that it moves.
#include <inlay/expr/binary.hpp>
#include <inlay/rewrite/dataflow/attention.hpp>

namespace {

using namespace inlay::dataflow;
using inlay::egraph::Term;

constexpr Tile tile(Region region, int iterations = 1, int rows = 16, int cols = 8) {
    return {rows, cols, 2, region, iterations, true};
}
constexpr Tile global = tile(Region::global, 4), shared = tile(Region::shared, 4), held = tile(Region::registers, 4);
using Half = Elementwise<inlay::Mul<inlay::Out, inlay::Const<0.5>>>;

// A tile of 16 rows of 8 of 2 bytes, four times: 256 · 4 bytes, or none in registers alone.
static_assert(GlobalTile<'K', 16, 8, 2, 4>::tile() == global && GlobalTile<'K', 16, 8, 2, 4>::name[0] == 'K');
static_assert(GlobalTile<'K', 16, 8, 2, 4>::traffic(Stores::each_iteration) == 0);
static_assert(Lds::tile(global) == shared && Lds::traffic(Stores::each_iteration, global) == 1024);
static_assert(Ldr::tile(shared) == held && Ldr::traffic(Stores::each_iteration, shared) == 1024);
static_assert(Ldr::tile(held) == held && Ldr::traffic(Stores::each_iteration, held) == 1024);  // a copy
static_assert(Half::tile(held) == held && Half::traffic(Stores::each_iteration, held) == 0);
static_assert(Sts::tile(held) == shared && Stg::tile(shared) == global);
static_assert(Sts::traffic(Stores::each_iteration, held) == 1024 && Sts::traffic(Stores::once, held) == 256);
static_assert(Stg::traffic(Stores::each_iteration, shared) == 1024 && Stg::traffic(Stores::once, shared) == 256);

// A product of 16×8 and 8×4 in fp32, as often as an operand is new. What lies in shared memory is read each time.
constexpr Tile left = tile(Region::shared), right = tile(Region::shared, 3, 8, 4);
static_assert(Wgmma::tile(left, right) == Tile{16, 4, 4, Region::registers, 3, true});
static_assert(Wgmma::traffic(Stores::each_iteration, left, right) == 3 * (256 + 64));
static_assert(Wgmma::traffic(Stores::once, left, right) == 3 * (256 + 64));  // no store
static_assert(Wgmma::traffic(Stores::each_iteration, tile(Region::registers), right) == 3 * 64);
static_assert(Wgmma::traffic(Stores::each_iteration, tile(Region::shared, 5), right) == 5 * (256 + 64));

// Memories that an operation does not read.
static_assert(!Lds::tile(shared).valid && !Lds::tile(held).valid && !Ldr::tile(global).valid);
static_assert(!Half::tile(shared).valid && !Half::tile(global).valid);
static_assert(!Sts::tile(shared).valid && !Sts::tile(global).valid);
static_assert(!Stg::tile(held).valid && !Stg::tile(global).valid);
static_assert(!Wgmma::tile(tile(Region::global), right).valid);
static_assert(!Wgmma::tile(left, tile(Region::registers, 3, 8, 4)).valid);
static_assert(!Wgmma::tile(left, tile(Region::shared, 3, 4, 8)).valid);  // 8 columns and 4 rows
// Operations above an operand that is not valid are not either.
constexpr Tile bad = Lds::tile(held);
static_assert(!Ldr::tile(bad).valid && !Wgmma::tile(bad, right).valid && !Stg::tile(bad).valid);

// Terms have the same.
using Tiles = AttentionTiles<>;
using Q = Tiles::q;
using K = Tiles::k;
using V = Tiles::v;
using Scale = inlay::Mul<inlay::Out, inlay::Const<0.125>>;
using Scores = Term<Wgmma, Q, K>;
using InRegisters = Term<Ldr, Q>;
using ScaledQ = Term<Elementwise<Scale>, InRegisters>;
using Naive = naive_attention<Tiles, Scale>;
using Rearranged = rearranged_attention<Tiles, Scale>;
static_assert(tile_of<Scores> == Tile{128, 128, 4, Region::registers, 8, true});
static_assert(tile_of<ScaledQ> == Tile{128, 64, 2, Region::registers, 1, true});
static_assert(tile_of<Naive> == Tile{128, 64, 4, Region::global, 8, true});
template <class T>
constexpr bool valid = tile_of<T>.valid;
static_assert(valid<Naive> && valid<Rearranged> && valid<Term<Ldr, InRegisters>>);
static_assert(!valid<Term<Wgmma, Q, V>> && !valid<Term<Wgmma, Q, Term<Ldr, K>>> && !valid<Term<Stg, Scores>>);
static_assert(!valid<Term<Stg, Term<Sts, Term<Wgmma, Term<Wgmma, Q, V>, V>>>>);  // below the root

}  // namespace
