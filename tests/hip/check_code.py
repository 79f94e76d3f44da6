# SPDX-License-Identifier: Apache-2.0
"""Checks the code object of one architecture, as clang leaves it, and prints lines that tests/run.sh counts.

    python3 tests/hip/check_code.py NAME ARCH OBJECT SOURCE [SCALARS PRIVATE]

By its metadata: no kernel spills a register to memory, scalar registers that lie in lanes of a vector register are at
most SCALARS (64: as many as one has), private memory is at most PRIVATE bytes (0), shared memory that the compiler lays
out stays within 64 KB, and waves have the architecture's width. By its disassembly: no kernel reads or writes private
memory, of which the compiler leaves what it reserved for scalars and then keeps in lanes; the kernels that a line of
SOURCE names, at least one, have these instructions each (regular expressions of their names):

    // code: ARCHITECTURE[,...] KERNEL INSTRUCTION...

KERNEL is a part of the demangled name, without spaces.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import code_object  # noqa: E402

most = {'.vgpr_spill_count': 0, '.sgpr_spill_count': 64, '.private_segment_fixed_size': 0}
names_of = {}


def demangled(symbols):
    text = subprocess.run(['llvm-cxxfilt-19'], input='\n'.join(symbols), capture_output=True, text=True, check=True)
    plain = [re.sub(r'inlay::(abi_\w+::)?|on_gpu::|^void ', '', line) for line in text.stdout.splitlines()]
    return dict(zip(symbols, plain))


def about_metadata(arch, kernels):
    """Sentences about kernels that take what they must not."""
    width = 32 if arch.startswith('gfx1') else 64
    for symbol, kernel in kernels.items():
        for field, allowed in most.items():
            if kernel.get(field, 0) > allowed:
                yield f'{field[1:]} {kernel[field]}: {names_of[symbol]}'
        if kernel['.group_segment_fixed_size'] > 65536:
            yield f'{kernel[".group_segment_fixed_size"]} bytes of shared memory: {names_of[symbol]}'
        if kernel['.wavefront_size'] != width:
            yield f'waves of {kernel[".wavefront_size"]}: {names_of[symbol]}'


def instructions(path, kernels):
    """The names of the instructions of each kernel."""
    found, current = {}, None
    with subprocess.Popen(['llvm-objdump-19', '-d', '--no-show-raw-insn', path], stdout=subprocess.PIPE,
                          text=True) as lines:
        for line in lines.stdout:
            if line.startswith('\t'):
                if current is not None:
                    current.add(line.split(None, 1)[0].removesuffix('_e32').removesuffix('_e64'))
            elif line.endswith('>:\n'):
                symbol = line[line.index('<') + 1:-3]
                current = found.setdefault(symbol, set()) if symbol in kernels else None
    return found


def reaching(kernels, code):
    """Sentences about kernels that read or write private memory."""
    for symbol in kernels:
        found = sorted(i for i in code[symbol] if re.match('scratch_|buffer_(load|store|atomic)', i))
        if found:
            yield f'{found[0]} in private memory: {names_of[symbol]}'


def rules(source, arch):
    """Parts of names, and instructions, that the lines of a source have for an architecture."""
    for line in pathlib.Path(source).read_text().splitlines():
        if line.startswith('// code: '):
            architectures, kernel, *wanted = line.removeprefix('// code: ').split()
            if arch in architectures.split(','):
                yield kernel, wanted


def report(good, text, details=()):
    print(f'{"ok" if good else "FAILED":8} {text}')
    for detail in list(details)[:20]:
        print('   ', detail[:230])


def main():
    name, arch, path, source, *limits = sys.argv[1:]
    most.update(zip(('.sgpr_spill_count', '.private_segment_fixed_size'), map(int, limits)))
    kernels = code_object.CodeObject(pathlib.Path(path).read_bytes()).kernels
    names_of.update(demangled(list(kernels)))
    wanted_of = list(rules(source, arch))
    private = [s for s, k in kernels.items() if k['.private_segment_fixed_size'] > 0]
    code = instructions(path, kernels) if wanted_of or private else {}
    bad = [*about_metadata(arch, kernels), *reaching(private, code)]
    if bad:
        report(False, f'{name} ({arch}): of {len(kernels)} kernels, these take what they must not', bad)
    else:
        scalars = [k.get('.sgpr_spill_count', 0) for k in kernels.values() if k.get('.sgpr_spill_count', 0)]
        report(True, f'{name} ({arch}): {len(kernels)} kernels, none spills to memory' +
               (f', {len(scalars)} keep scalars in lanes, {max(scalars)} at most' if scalars else '') +
               (f', {len(private)} reserve private memory and never reach it' if private else ''))
    for part, wanted in wanted_of:
        chosen = [s for s in code if part in names_of[s].replace(' ', '')]
        lacking = [f'no {w}: {names_of[s]}' for s in chosen for w in wanted
                   if not any(re.fullmatch(w, i) for i in code[s])]
        if not chosen:
            report(False, f'{name} ({arch}): there is no kernel {part}')
        elif lacking:
            report(False, f'{name} ({arch}): {part}, which should have {" ".join(wanted)}', lacking)
        else:
            report(True, f'{name} ({arch}): all {len(chosen)} of {part} have {" ".join(wanted)}')


if __name__ == '__main__':
    main()
