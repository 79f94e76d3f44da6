# SPDX-License-Identifier: Apache-2.0
"""tinygrad's `run_asm`, with what its emulator lacks, or has wrong, of instructions that Inlay's kernels have, written
from LLVM's tables and descriptions:

- ds_swizzle_b32 and v_permlanex16_b32; s_setprio, which changes no value
- DPP: the controls row_share and row_xmask, and a source register that is also the result's
- addresses in shared memory of lanes that are off, which it reads
- the old value that an atomic instruction of gfx942 returns
- rows of C of the 32×32 matrix instructions, which lie as AMD's calculator says: 8·(register / 4) + 4·(lane / 32) +
  register % 4, where the emulator has 16·(lane / 32) + register

Import it with tinygrad's checkout in sys.path."""
import ctypes
import types

import numpy as np
from test.mockgpu.amd import emu


class Registers:
    """A wave's scalar registers and constants, and its vector registers [256, lanes]."""

    def __init__(self, sgpr, vgpr, wave):
        self.scalars = np.frombuffer((ctypes.c_uint32 * emu.SGPR_COUNT).from_address(sgpr.value), np.uint32)
        self.vectors = np.frombuffer((ctypes.c_uint32 * (256 * wave)).from_address(vgpr.value), np.uint32)
        self.vectors = self.vectors.reshape(256, wave)
        lanes = emu.EXEC_LO.offset
        mask = int(self.scalars[lanes]) | int(self.scalars[lanes + 1]) << 32
        self.active = np.array([mask >> i & 1 for i in range(wave)], bool)

    def gather(self, to, register, source):
        """Active lanes read a register of the lanes `source`."""
        self.vectors[to] = np.where(self.active, self.vectors[register][source], self.vectors[to])

    def advance(self, by):
        low, high = emu.PC_LO_IDX, emu.PC_HI_IDX
        pc = (int(self.scalars[low]) | int(self.scalars[high]) << 32) + by
        self.scalars[low], self.scalars[high] = pc & 0xffffffff, pc >> 32


def ds_swizzle(words, registers, lane):
    """Within 32 lanes: (lane & and | or) ^ xor."""
    offset = words[0] & 0xffff
    if offset & 0x8000:
        raise NotImplementedError('ds_swizzle_b32 of quads')
    source = lane & ~31 | (lane & offset & 31 | offset >> 5 & 31) ^ (offset >> 10 & 31)
    registers.gather(words[1] >> 24, words[1] & 255, source)
    registers.advance(8)


def permlanex16(words, registers, lane):
    """The other row of 16, by four bits a lane of two operands: scalar registers, constants or a literal."""
    fields = [words[1] >> 9 & 511, words[1] >> 18 & 511]
    low, high = (words[2] if f == 255 else int(registers.scalars[f]) for f in fields)
    select = np.array([(low | high << 32) >> 4 * i & 15 for i in range(16)])
    registers.gather(words[0] & 255, words[1] & 255, (lane & ~15 ^ 16) + select[lane & 15])
    registers.advance(12 if 255 in fields else 8)


def nothing(words, registers, lane):
    registers.advance(4)


replaced = {'DS_SWIZZLE_B32': ds_swizzle, 'V_PERMLANEX16_B32': permlanex16, 'S_SETPRIO': nothing}


def runner(globals_, run):
    return types.SimpleNamespace(arg=types.SimpleNamespace(globals=globals_)), types.SimpleNamespace(fxn=run)


def decoder(original):
    def decoded(pc, arch):
        instruction, wave = emu.decode_inst(ctypes.string_at(pc, 16), arch), emu._wave_size(arch)
        name = getattr(getattr(instruction, 'op', None), 'name', '')
        words = np.frombuffer(ctypes.string_at(pc, 16), np.uint32).tolist()
        if name in replaced:
            run = lambda sgpr, vgpr: replaced[name](words, Registers(sgpr, vgpr, wave), np.arange(wave))
            return runner([0, 1], run), instruction
        if name.startswith('V_MFMA_F32_32X32X'):
            return rows_moved(words, original(pc, arch), wave), instruction
        if type(instruction).__name__ == 'DS' and 'PERMUTE' not in name:
            return masked(words[1] & 255, original(pc, arch), wave), instruction
        if 'DPP16' in type(instruction).__name__:
            return moved_first(pc, instruction, arch, wave), instruction
        return original(pc, arch)
    return decoded


controls = {}   # DPP words of the code, by their place: the emulator reads an instruction where it stands


def moved_first(pc, instruction, arch, wave):
    """The emulator writes a lane before the next one reads: v255 gets what the source has, or, for the controls of a
    row, what each lane reads, and the instruction is changed to read that."""
    place = ctypes.c_uint32.from_address(pc + instruction.size() - 4)
    if controls.get(pc, (0, 0))[1] != place.value:
        controls[pc] = place.value, 0
    word = controls[pc][0]
    register, control, lane = word & 255, word >> 8 & 511, np.arange(wave)
    changed = word | 255
    if control < 0x150:
        source = lane
    elif control < 0x170:
        source = lane & ~15 | control & 15 if control < 0x160 else lane ^ (control & 15)
        changed = changed & ~(511 << 8) | 0xe4 << 8     # quad_perm:[0,1,2,3]
    else:
        raise NotImplementedError(f'DPP control {control:#x}')
    place.value, controls[pc] = changed, (word, changed)
    inner, runtime = emu._get_runner(ctypes.string_at(pc, instruction.size() + 4), arch)
    keeps = getattr(instruction, 'vdst', None) is None or instruction.vdst.offset != 256 + 255

    def run(sgpr, vgpr, *rest):
        registers = Registers(sgpr, vgpr, wave)
        before = registers.vectors[255].copy()
        registers.vectors[255] = registers.vectors[register][source]
        runtime.fxn(*rest)
        if keeps:
            registers.vectors[255] = before
    return runner([0, 1, *inner.arg.globals], run)


def masked(address, decoded, wave):
    (inner, runtime), _ = decoded

    def run(sgpr, vgpr, *rest):
        registers = Registers(sgpr, vgpr, wave)
        off = ~registers.active
        before = registers.vectors[address][off]
        registers.vectors[address][off] = 0
        runtime.fxn(*rest)
        registers.vectors[address][off] = before
    return runner([0, 1, *inner.arg.globals], run)


register, half = np.arange(16)[:, None], np.arange(2)[None, :]
row_of_hardware, row_of_emulator = 8 * (register // 4) + 4 * half + register % 4, 16 * half + register


def rows_moved(words, decoded, wave):
    (inner, runtime), _ = decoded
    to, from_ = words[0] & 255, words[1] >> 18 & 511
    file = 1 if words[0] >> 15 & 1 else 0       # of accumulation registers

    def move(registers, first, before, after):
        sums = registers[first:first + 16].reshape(16, 2, 32)
        rows = np.empty((32, 32), np.uint32)
        rows[before] = sums
        sums[:] = rows[after]

    def run(sgpr, vgpr, accumulators, *rest):
        registers = Registers(sgpr, (vgpr, accumulators)[file], wave).vectors
        if from_ >= 256:
            kept = registers[from_ - 256:from_ - 240].copy()
            move(registers, from_ - 256, row_of_hardware, row_of_emulator)
        runtime.fxn(*rest)
        if from_ >= 256 and from_ - 256 != to:
            registers[from_ - 256:from_ - 240] = kept
        move(registers, to, row_of_emulator, row_of_hardware)
    return runner([0, 1, 5, *inner.arg.globals], run)


def returning(original):
    """Atomic instructions of gfx942 return the old value by the bit sc0, which others call glc."""
    def attribute(instruction, name, default=0):
        return original(instruction, name, default) or (original(instruction, 'sc0') if name == 'glc' else 0)
    return attribute


emu._iattr = returning(emu._iattr)
emu._decode_at = decoder(emu._decode_at)
run_asm = emu.run_asm
