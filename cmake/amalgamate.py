#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""amalgamate.py [--out DIR]: writes Inlay as one header per use, comments and licence kept.

  inlay-host.hpp  for g++ and clang: all of inlay/inlay.hpp, the oracle, programs and explain
  inlay-cuda.hpp  for nvcc: all of inlay/inlay.hpp and the CUDA executor, without graphs and explain for its size

Each needs the standard library alone, or CUDA's headers beside it. A header of Inlay stands where it is first included,
once. Where an #if chooses what to include, the branch of the use is taken and the others are left out; every other #if
stays as it is."""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1_500_000  # bytes: above it, tools that take a header by its text or address refuse it

USES = {
    "host": {
        "for": "g++ and clang",
        "headers": ["inlay/inlay.hpp", "inlay/exec/oracle.hpp", "inlay/exec/program.hpp", "inlay/report/explain.hpp"],
        "facts": {"defined(__HIP__)": False, "defined(__CUDACC__)": False, "INLAY_NATIVE_VECTORS": True},
        "refuse": ("defined(__CUDACC__) || defined(__HIP__)",
                   "inlay: inlay-host.hpp is for g++ and clang; nvcc takes inlay-cuda.hpp"),
    },
    "cuda": {
        "for": "nvcc",
        "headers": ["inlay/inlay.hpp", "inlay/exec/cuda.hpp"],
        "facts": {"defined(__HIP__)": False, "defined(__CUDACC__)": True, "INLAY_NATIVE_VECTORS": False},
        "refuse": ("!defined(__CUDACC__)", "inlay: inlay-cuda.hpp is for nvcc; g++ and clang take inlay-host.hpp"),
    },
}

INCLUDE = re.compile(r"\s*#\s*include\s*<(inlay/[^>]*)>")
DIRECTIVE = re.compile(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(.*)")


def truth(condition, facts, where):
    """The value of a condition that chooses between includes, by what the use defines."""
    for name, value in facts.items():
        condition = condition.replace(name, f" {value} ")
    condition = condition.replace("&&", " and ").replace("||", " or ").replace("!", " not ").strip()
    if not re.fullmatch(r"(\s|\(|\)|True|False|and|or|not)+", condition):
        sys.exit(f"amalgamate: {where}: expected a condition over {', '.join(facts)} above an include of Inlay, "
                 f"found '{condition}'")
    return eval(condition)  # words of the line above alone


def blocks_with_includes(lines, where):
    """Lines of the directives, to #endif, of each #if whose branches include headers of Inlay, by its first line."""
    found, open_blocks = {}, []
    for number, line in enumerate(lines):
        directive = DIRECTIVE.match(line)
        if directive and directive[1].startswith("if"):
            open_blocks.append([number])
        elif directive:
            open_blocks[-1].append(number)
            if directive[1] == "endif":
                open_blocks.pop()
        elif INCLUDE.match(line):
            for block in open_blocks:
                found[block[0]] = block
    if open_blocks:
        sys.exit(f"amalgamate: {where}:{open_blocks[-1][0] + 1}: an #if without its #endif")
    return found


class Writer:
    def __init__(self, facts):
        self.facts = facts
        self.seen = set()
        self.out = []

    def header(self, name):
        if name in self.seen:
            return
        self.seen.add(name)
        path = ROOT / "include" / name
        if not path.exists():
            sys.exit(f"amalgamate: {name} is included, and is not below include/")
        lines = path.read_text().split("\n")
        self.out += ["", f"// {'-' * 4} {name}"]
        self.lines(lines, 0, len(lines), blocks_with_includes(lines, name), name)

    def lines(self, lines, begin, end, blocks, name):
        number = begin
        while number < end:
            line = lines[number]
            if number in blocks:
                number = self.taken(lines, blocks[number], blocks, name)
                continue
            number += 1
            include = INCLUDE.match(line)
            if include:
                self.header(include[1])
            elif re.match(r'\s*#\s*include\s*"', line):
                sys.exit(f"amalgamate: {name}:{number}: expected #include <...>, found {line.strip()}")
            elif line.strip() != "#pragma once" and not line.startswith("// SPDX-"):  # both stand at the head
                self.out.append(line)

    def taken(self, lines, block, blocks, name):
        """Writes the branch that the use takes, and returns the line after its #endif."""
        for at, after in zip(block, block[1:]):
            kind, condition = DIRECTIVE.match(lines[at]).groups()
            condition = condition.split("//")[0]
            if kind in ("ifdef", "ifndef"):
                condition = ("!" if kind == "ifndef" else "") + f"defined({condition.strip()})"
            if kind == "else" or truth(condition, self.facts, f"{name}:{at + 1}"):
                self.lines(lines, at + 1, after, blocks, name)
                break
        return block[-1] + 1


def version():
    text = (ROOT / "include/inlay/version.hpp").read_text()
    return ".".join(re.search(rf"INLAY_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def amalgamated(use):
    writer = Writer(use["facts"])
    for header in use["headers"]:
        writer.header(header)
    condition, sentence = use["refuse"]
    top = ["// SPDX-License-Identifier: Apache-2.0",
           f"// Inlay {version()} in one header, for {use['for']}, written by cmake/amalgamate.py. Its parts:",
           *[f"//   #include <{header}>" for header in use["headers"]], "#pragma once", "",
           f"#if {condition}", f'#error "{sentence}"', "#endif", "", "/*",
           (ROOT / "LICENSE").read_text().rstrip("\n"), "*/"]
    text = "\n".join(top + writer.out) + "\n"
    # A namespace that ends where the next header goes on with it stays open, which saves a hundredth of the size.
    text = re.sub(r"\n\}  // namespace (\S.*)\n((?:\n|//.*\n)*)namespace \1 \{\n", r"\n\2", text)
    # Indentation by tabs saves a thirteenth.
    text = re.sub(r"(?m)^(?: {4})+", lambda indent: "\t" * (len(indent[0]) // 4), text)
    return re.sub(r"\n{3,}", "\n\n", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder of the headers")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name, use in USES.items():
        text = amalgamated(use)
        size = len(text.encode())
        if size > LIMIT:
            sys.exit(f"amalgamate: inlay-{name}.hpp: expected at most {LIMIT} bytes, found {size}")
        (out / f"inlay-{name}.hpp").write_text(text)
        print(f"{out / f'inlay-{name}.hpp'}: {size} bytes")


if __name__ == "__main__":
    main()
