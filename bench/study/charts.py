# SPDX-License-Identifier: Apache-2.0
"""The two charts of docs/study.md from the JSON of run.py, and its tables in Markdown on stdout.

    python bench/study/charts.py bench/results/GPU/study.json docs/img
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from plot import GRID, INK, OURS, PEER, Picture  # noqa: E402

OTHER = ["#4f9d69", "#d99a2b", "#8e6bb0", "#c2543c"]
COLOURS = {"Inlay": OURS, "Inlay, an operation at a time": "#a9c9e6", "Triton": OTHER[0],
           "torch, built in": PEER, "torch.compile": OTHER[1], "torch, an operation at a time": OTHER[2]}


def throughput(rows, path):
    """Work per second of each implementation of each workload, the fastest of a workload at 1."""
    p = Picture(820, 420, "Throughput by workload, fastest = 1")
    left, right, top, bottom = 50, 800, 60, 330
    for tenth in range(0, 11, 2):
        y = bottom - tenth / 10 * (bottom - top)
        p.line(left, y, right, y, GRID)
        p.text(left - 6, y + 4, f"{tenth / 10:g}", 10, "end")
    group = (right - left) / len(rows)
    for i, row in enumerate(rows):
        best = min(row["times"].values())
        width = (group - 40) / len(row["times"])
        for j, (name, us) in enumerate(row["times"].items()):
            x, height = left + i * group + 20 + j * width, best / us * (bottom - top)
            p.box(x, bottom - height, width - 4, height, COLOURS[name])
            p.text(x + width / 2 - 2, bottom - height - 4, f"{best / us:.2f}", 9, "middle")
        p.text(left + (i + 0.5) * group, bottom + 18, row["name"].split("/")[0], 12, "middle")
    p.line(left, bottom, right, bottom)
    names = list(dict.fromkeys(name for row in rows for name in row["times"]))
    for i, name in enumerate(names):
        x, y = left + 20 + i % 4 * 190, bottom + 48 + i // 4 * 18
        p.box(x, y - 9, 10, 10, COLOURS[name])
        p.text(x + 15, y, name)
    p.save(path)


def by_block(rows, path):
    """Throughput of swish by how many elements a block takes, the fastest of all at 1."""
    p = Picture(820, 400, "Swish: throughput by elements of a block, fastest = 1")
    left, right, top, bottom = 50, 790, 50, 330
    best = min(min(r["us"], r["peer_us"]) for r in rows)
    to_x = lambda i: left + 20 + i * (right - left - 40) / (len(rows) - 1)
    to_y = lambda us: bottom - best / us * (bottom - top)
    for tenth in range(0, 11, 2):
        y = bottom - tenth / 10 * (bottom - top)
        p.line(left, y, right, y, GRID)
        p.text(left - 6, y + 4, f"{tenth / 10:g}", 10, "end")
    for i, r in enumerate(rows):
        p.text(to_x(i), bottom + 18, f"{r['block']}", 11, "middle")
    for key, colour, name in (("us", OURS, "Inlay"), ("peer_us", OTHER[0], "Triton")):
        for i, r in enumerate(rows):
            if i:
                p.line(to_x(i - 1), to_y(rows[i - 1][key]), to_x(i), to_y(r[key]), colour, 2)
            p.dot(to_x(i), to_y(r[key]), colour, f"{name}, {r['block']}: {r[key]:.1f} µs")
    for i, (name, colour) in enumerate((("Inlay", OURS), ("Triton", OTHER[0]))):
        p.box(left + 30 + 100 * i, bottom + 38, 10, 10, colour)
        p.text(left + 45 + 100 * i, bottom + 47, name, fill=INK)
    p.save(path)


def tables(work, blocks):
    print("| workload | implementation | µs | GB/s | read, MB | written, MB |\n| --- | --- | --- | --- | --- | --- |")
    megabytes = lambda row, key, name: f"{row[key][name] / 1e6:.0f}" if name in row.get(key, {}) else "–"
    for row in work:
        for name, us in sorted(row["times"].items(), key=lambda t: t[1]):
            print(f"| {row['name'].split('/')[0]} | {name} | {us:.0f} | {row['least'] / us / 1e3:.0f} | "
                  f"{megabytes(row, 'read', name)} | {megabytes(row, 'written', name)} |")
    print("\n| elements of a block | " + " | ".join(str(r["block"]) for r in blocks) + " |")
    print("| --- |" + " --- |" * len(blocks))
    for key, name in (("us", "Inlay"), ("peer_us", "Triton")):
        print(f"| {name}, µs | " + " | ".join(f"{r[key]:.0f}" for r in blocks) + " |")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as f:
        rows = json.load(f)["rows"]
    work, blocks = [r for r in rows if "times" in r], [r for r in rows if "block" in r]
    os.makedirs(sys.argv[2], exist_ok=True)
    throughput(work, os.path.join(sys.argv[2], "study_throughput.svg"))
    by_block(blocks, os.path.join(sys.argv[2], "study_blocks.svg"))
    tables(work, blocks)


if __name__ == "__main__":
    main()
