# SPDX-License-Identifier: Apache-2.0
"""Compares the places of elements in matrix instructions, as the emulator and the atoms take them, with AMD's own.

    python3 tests/hip/outside_maps.py CALCULATOR

CALCULATOR is a checkout of https://github.com/ROCm/amd_matrix_instruction_calculator, which needs the package tabulate.
The formulas are those of tests/gpu/emulated/hip/products.cpp and of tile/hip/{mfma,wmma}/map.hpp, before the atoms swap
A and B. One line an operand; the exit status is 1 when an element lies elsewhere.
"""

import csv
import pathlib
import re
import subprocess
import sys


def mfma(m, k):
    """Maps (lane, i) to (row, column) of A, B and D, and elements of a lane of each."""
    across = 64 // m
    each = k // across
    return {
        "A": (each, lambda lane, i: (lane % m, lane // m * each + i)),
        "B": (each, lambda lane, i: (lane // m * each + i, lane % m)),
        "D": (m * m // 64, lambda lane, i: (i // 4 * 4 * across + lane // m * 4 + i % 4, lane % m)),
    }


WMMA = {
    "A": (16, lambda lane, i: (lane % 16, i)),
    "B": (16, lambda lane, i: (i, lane % 16)),
    "D": (8, lambda lane, i: (2 * i + lane // 16, lane % 16)),
}

INSTRUCTIONS = [
    ("cdna2", "v_mfma_f32_16x16x16f16", 64, mfma(16, 16)),
    ("cdna2", "v_mfma_f32_16x16x16bf16_1k", 64, mfma(16, 16)),
    ("cdna2", "v_mfma_f32_32x32x8f16", 64, mfma(32, 8)),
    ("cdna2", "v_mfma_f32_32x32x8bf16_1k", 64, mfma(32, 8)),
    ("cdna2", "v_mfma_f32_16x16x4f32", 64, mfma(16, 4)),
    ("cdna3", "v_mfma_f32_16x16x16_f16", 64, mfma(16, 16)),
    ("cdna3", "v_mfma_f32_16x16x16_bf16", 64, mfma(16, 16)),
    ("cdna3", "v_mfma_f32_32x32x8_f16", 64, mfma(32, 8)),
    ("cdna3", "v_mfma_f32_32x32x8_bf16", 64, mfma(32, 8)),
    ("cdna3", "v_mfma_f32_16x16x4_f32", 64, mfma(16, 4)),
    ("rdna3", "v_wmma_f32_16x16x16_f16", 32, WMMA),
    ("rdna3", "v_wmma_f32_16x16x16_bf16", 32, WMMA),
]


def published(calculator, architecture, instruction, operand):
    """{(lane, i): (row, column)} as the calculator prints it."""
    command = [sys.executable, "matrix_calculator.py", "--architecture", architecture, "--instruction", instruction,
               f"--{operand}-matrix", "--matrix-layout", "--csv"]
    run = subprocess.run(command, cwd=calculator, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(command)}: {(run.stdout + run.stderr).strip().splitlines()[-1]}")
    places = {}
    for row in csv.reader(run.stdout.splitlines()):
        if not row or not row[0].isdigit():
            continue
        for i, cell in enumerate(row[1:]):
            places[int(row[0]), i] = tuple(int(n) for n in re.findall(r"\[(\d+)\]", cell))
    return places


def main():
    if len(sys.argv) != 2 or not (pathlib.Path(sys.argv[1]) / "matrix_calculator.py").exists():
        sys.exit(__doc__)
    failed = False
    for architecture, instruction, lanes, operands in INSTRUCTIONS:
        for operand, (count, place) in operands.items():
            ours = {(lane, i): place(lane, i) for lane in range(lanes) for i in range(count)}
            theirs = published(sys.argv[1], architecture, instruction, operand)
            wrong = [at for at in ours.keys() | theirs.keys() if ours.get(at) != theirs.get(at)]
            failed |= bool(wrong)
            verdict = f"FAILED   lane {wrong[0][0]}, element {wrong[0][1]}" if wrong else "ok      "
            print(f"{verdict} {architecture} {instruction} {operand}, {len(ours)} elements")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
