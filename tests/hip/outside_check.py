# SPDX-License-Identifier: Apache-2.0
"""Runs code objects of clang-19 in tinygrad's emulator of gfx942 and gfx1100 and compares their results with NumPy.

    python3 tests/hip/outside_check.py TINYGRAD [--arch gfx942]... [--rocm build/hip-root] [CASE...]

TINYGRAD is a checkout of https://github.com/tinygrad/tinygrad, of which this file only calls `run_asm`. Each case is a
function of tests/hip/outside/*.hip, host and device code, linked with a runtime that hands its launches to the emulator
(outside/runtime.cpp), and a function below of the same name. A case that begins with wrong_ has to fail.
"""
import argparse
import ctypes
import mmap
import os
import pathlib
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here / 'outside')]

import code_object  # noqa: E402

# buffer_gl0_inv and buffer_gl1_inv; buffer_inv and buffer_wbl2, whose low bits are the scope.
of_caches = {'gfx1100': (0xe0ac, 0xe0b0), 'gfx942': (0xe0a4, 0xe0a0)}
families = {'gfx942': 'cdna', 'gfx1100': 'rdna3'}
Launch = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint),
                          ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t)


class Loaded:
    """A code object in this process's memory."""

    def __init__(self, data, arch):
        self.object = code_object.CodeObject(data)
        self.memory = mmap.mmap(-1, max(a + n for _, a, _, n in self.object.segments) + 4096)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        for offset, address, length, _ in self.object.segments:
            self.memory[address:address + length] = data[offset:offset + length]
        self._leave_out_caches(of_caches[arch])
        self.symbols, by_number = self.object.symbols()
        for place, kind, symbol, addend in self.object.relocations():
            value = self.base + addend + {3: by_number[symbol] if symbol else 0, 13: 0}[kind]
            self.memory[place:place + 8] = value.to_bytes(8, 'little')

    def _leave_out_caches(self, words):
        """Instructions that invalidate or write back a cache become s_nop: the emulator has no caches."""
        for _, _, flags, address, _, length, *_ in self.object.sections:
            for at in range(address, address + length - 7, 4) if flags & 4 else ():
                high = int.from_bytes(self.memory[at + 2:at + 4], 'little')
                if high in words and self.memory[at + 4:at + 8] == bytes(4):
                    self.memory[at:at + 8] = bytes.fromhex('000080bf') * 2

    def descriptor(self, kernel):
        at = self.symbols[kernel + '.kd']
        read = lambda offset, bytes_: int.from_bytes(self.memory[at + offset:at + offset + bytes_], 'little')
        entry = self.base + at + read(16, 8)
        return entry & (1 << 64) - 1, {'rsrc2': read(52, 4), 'properties': read(56, 2), 'scratch': read(4, 4)}


class Machine:
    """Launches go to the emulator; `kernels` collects the names of those that ran."""

    def __init__(self, arch, run_asm):
        self.arch, self.run_asm, self.loaded, self.kernels, self.error = arch, run_asm, {}, [], None
        self.callback = Launch(self.launch)

    def launch(self, image, kernel, grid, block, arguments, shared):
        try:
            if image not in self.loaded:
                self.loaded[image] = Loaded(image_of(image, self.arch), self.arch)
            self.run(self.loaded[image], kernel.decode(), grid[:3], block[:3], arguments, shared)
            return 0
        except BaseException as error:  # of a callback, which would lose it
            self.error = error
            return 1

    def run(self, code, kernel, grid, block, arguments, shared):
        self.kernels.append(kernel)
        entry, d = code.descriptor(kernel)
        about = code.object.kernels[kernel]
        size = about['.kernarg_segment_size']
        memory = ctypes.create_string_buffer(size + 256)
        base = ctypes.addressof(memory) + 255 & ~255
        given = 0
        for argument in about.get('.args', []):
            kind, at, n = argument['.value_kind'], argument['.offset'], argument['.size']
            if not kind.startswith('hidden_'):
                ctypes.memmove(base + at, arguments[given], n)
                given += 1
            elif kind[7:-2] in ('block_count', 'group_size', 'remainder'):
                axis = 'xyz'.index(kind[-1])
                value = {'block_count': grid, 'group_size': block, 'remainder': (0, 0, 0)}[kind[7:-2]][axis]
                ctypes.memmove(base + at, value.to_bytes(n, 'little'), n)
            elif kind == 'hidden_grid_dims':
                ctypes.memmove(base + at, (1).to_bytes(n, 'little'), n)
        packet = ctypes.create_string_buffer(64)   # of the dispatch: sizes of the block and of the grid
        ctypes.memmove(packet, b''.join(v.to_bytes(2, 'little') for v in (0, 0, *block)), 10)
        ctypes.memmove(ctypes.addressof(packet) + 12, b''.join((g * b).to_bytes(4, 'little')
                                                              for g, b in zip(grid, block)), 12)
        user = []
        for bit, words, value in ((0, 4, 0), (1, 2, ctypes.addressof(packet)), (2, 2, 0), (3, 2, base), (4, 2, 0),
                                  (5, 2, 0), (6, 1, 0)):
            if d['properties'] >> bit & 1:
                user += [value >> 32 * i & 0xffffffff for i in range(words)]
        count = d['rsrc2'] >> 1 & 31
        user += [0] * (count - len(user))
        lds = (about['.group_segment_fixed_size'] + shared + 511) // 512
        if lds > 128:
            raise ValueError(f'{kernel}: more than 64 KB of LDS')
        rsrc2 = d['rsrc2'] & ~(0x1ff << 15) | lds << 15
        self.run_asm(entry, 1 << 20, *grid, *block, base, rsrc2, d['scratch'], families[self.arch], user)


def image_of(address, arch):
    """The architecture's code object of the bundle at an address."""
    head = ctypes.string_at(address, 4096)
    count, at, end = int.from_bytes(head[24:32], 'little'), 32, 0
    for _ in range(count):
        offset, size, length = (int.from_bytes(head[at + 8 * i:at + 8 * i + 8], 'little') for i in range(3))
        end, at = max(end, offset + size), at + 24 + length
    return code_object.bundled(ctypes.string_at(address, end))[arch][0]


def built(arch, options, work):
    """The cases as a shared library."""
    flags = ['clang++-19', '-std=c++20', '-O2', '-fPIC', '-w', f'-I{options.include}']
    subprocess.run([*flags, '-D__HIP_PLATFORM_AMD__', '-c', here / 'outside/runtime.cpp', '-o', f'{work}/runtime.o'],
                   check=True)
    objects = [f'{work}/runtime.o']
    for file in sorted((here / 'outside').glob('*.hip')):
        if options.cases and not any(part in file.read_text() for part in options.cases):
            continue
        objects.append(f'{work}/{file.stem}.o')
        subprocess.run([*flags, '-x', 'hip', f'--rocm-path={options.rocm}', f'--offload-arch={arch}', '-c', file,
                        '-o', objects[-1]], check=True)
    subprocess.run(['clang++-19', '-shared', *objects, '-o', f'{work}/cases.so'], check=True)
    return ctypes.CDLL(f'{work}/cases.so')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tinygrad')
    parser.add_argument('--arch', action='append', choices=families)
    parser.add_argument('--rocm', default=here.parent.parent / 'build/hip-root')
    parser.add_argument('--include', default=here.parent.parent / 'include')
    parser.add_argument('cases', nargs='*')
    options = parser.parse_intermixed_args()
    sys.path.insert(0, options.tinygrad)
    os.environ.setdefault('CPU_COUNT', '1')
    from emulator import run_asm
    import cases
    version = subprocess.run(['git', '-C', options.tinygrad, 'rev-parse', 'HEAD'], capture_output=True, text=True)
    print('tinygrad', version.stdout.strip() or 'without a commit')
    failed = 0
    for arch in options.arch or families:
        with tempfile.TemporaryDirectory() as work:
            library, machine = built(arch, options, work), Machine(arch, run_asm)
            library.outside_begin(machine.callback, arch.encode())
            for name, case in cases.all_cases(arch).items():
                if options.cases and not any(part in name for part in options.cases):
                    continue
                start, machine.kernels = time.monotonic(), []
                try:
                    why = case(library) if machine.error is None else 'a launch failed before'
                    why = why or (machine.error and repr(machine.error)) or ('' if machine.kernels else 'no launch')
                except Exception as error:
                    why = repr(error)
                machine.error = None
                good = bool(why) == name.startswith('wrong_')
                failed += not good
                print(f'{"ok" if good else "FAILED":8} {arch} {name} ({time.monotonic() - start:.1f} s)', why or '',
                      flush=True)
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
