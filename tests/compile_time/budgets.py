#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Budgets of compile time: counts per node of an expression, which do not depend on the machine.

    budgets.py INCLUDE WORK COMPILER...

COMPILER: g++, clang++-19 or the path of an nvcc. A tree's count less that of Elementwise<Buf<0>> is divided by its
nodes and compared with a limit; nodes that cost too much have to exceed those of a flat tree. Lines are those of
cmake/shell.sh.
"""
import collections
import json
import os
import re
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from trees import unit

# A front end that takes exponential time ends here: it would take hours.
MOST_SECONDS = 120

# Per node: of a flat tree, of concats in concats, and of concats with functions between them, which a GPU has in two
# kernels, of one chunk and of four.
LIMITS = {
    "instantiated templates (clang)": (75, 105, 100),
    "KB of memory (g++)": (2200, 7000, 6000),
    "instructions (g++)": (180, 1200, 1000),
    "instructions of PTX (nvcc)": (70, 140, 240),
}
TREES = {"flat": 16, "nested": 3, "between": 4}


class Budgets:
    def __init__(self, include, work, compilers):
        self.include, self.work, self.compilers = include, work, compilers

    def command(self, *words):
        done = subprocess.run(words, cwd=self.work, capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS)))
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)} fails, or takes over {MOST_SECONDS} s: {done.stderr[:600]}")
        return done.stdout + done.stderr

    def count(self, compiler, kind, size):
        """The counts of a tree, by name, and its nodes."""
        device = os.path.basename(compiler) == "nvcc"
        source, nodes = unit(kind, size, "Cuda" if device else "Host")
        name = f"{kind}_{size}"
        file = os.path.join(self.work, name + (".cu" if device else ".cpp"))
        with open(file, "w") as f:
            f.write(source)
        flags = ["-std=c++20", "-I", self.include]
        if device:
            self.command(compiler, *flags, "-arch=sm_90a", "-ptx", "-o", name + ".ptx", file)
            # The host's part of nvcc, of which PTX says nothing.
            self.command(compiler, *flags, "-arch=sm_90a", "-fdevice-syntax-only", "-c", "-o", os.devnull, file)
            with open(os.path.join(self.work, name + ".ptx")) as f:
                return {"instructions of PTX (nvcc)": len(re.findall(r"^\s+[a-z@%].*;", f.read(), re.M))}, nodes
        if compiler.startswith("clang"):
            trace = os.path.join(self.work, name + ".json")
            self.command(compiler, *flags, "-O0", "-S", "-o", os.devnull, "-ftime-trace=" + trace,
                         "-ftime-trace-granularity=0", file)
            with open(trace) as f:
                events = collections.Counter(e["name"] for e in json.load(f)["traceEvents"])
            return {"instantiated templates (clang)": events["InstantiateClass"] + events["InstantiateFunction"]}, nodes
        report = self.command(compiler, *flags, "-O2", "-c", "-o", name + ".o", "-ftime-report", file)
        amount, scale = re.search(r"^ *TOTAL .*?(\d+)([kM])?$", report, re.M).groups()
        code = self.command("objdump", "-d", "--no-show-raw-insn", name + ".o")
        return {"KB of memory (g++)": int(amount) * {None: 1 / 1024, "k": 1, "M": 1024}[scale],
                "instructions (g++)": len(re.findall(r"^ +[0-9a-f]+:", code, re.M))}, nodes

    def check(self):
        jobs = [(c, kind, size) for c in self.compilers
                for kind, size in [("nested", 3), ("flat", 16), ("between", 4), ("costly", 4), ("flat", 1)]]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = dict(zip(jobs, pool.map(lambda job: self.count(*job), jobs)))
        for compiler in self.compilers:
            base = results[compiler, "flat", 1][0]
            for (name, of_base) in base.items():
                cost = lambda kind, size: ((results[compiler, kind, size][0][name] - of_base) /
                                           (results[compiler, kind, size][1] - 1))
                for (kind, size), limit in zip(TREES.items(), LIMITS[name]):
                    n = cost(kind, size)
                    print(f"{'ok      ' if n <= limit else 'FAILED  '} compile time, {kind}: {n:.0f} {name} a node, "
                          f"limit {limit}")
                n, limit = cost("costly", 4), LIMITS[name][0]
                print(f"{'ok      ' if n > limit else 'FAILED  '} compile time, control: {n:.0f} {name} a node exceed "
                      f"{limit}")


if __name__ == "__main__":
    try:
        Budgets(sys.argv[1], sys.argv[2], sys.argv[3:]).check()
    except RuntimeError as error:
        print("FAILED   compile time:", str(error).replace("\n", "\n    "))
