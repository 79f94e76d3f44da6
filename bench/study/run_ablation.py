# SPDX-License-Identifier: Apache-2.0
"""The ablation of docs/study.md: runs the programs of ablation.cu and ablation/fused.cu in turn, three times, writes
OUT/ablation.json and, with --docs, puts the table between its marks in a page.

    python bench/study/run_ablation.py --programs build/bench-cuda/bin --out bench/results/GPU [--commit C]
        [--docs docs/study.md]
    python bench/study/run_ablation.py --out bench/results/GPU --docs docs/study.md --table    # of rows that are there

`us` of a row is the model with the switch off, `peer_us` the same engine with everything on: `ratio`, peer_us / us, is
what is left of its speed. `distance` is that of the result from the reference's, relative (L2); a result that is
further than 5e-3 from it is an error.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

ENGINES = {"ablation": "sm_90a", "ablation_portable": "portable"}
SWITCHES = ("everything", "matrix units", "flash attention", "fusion", "shuffles", "wide loads", "double buffering")
WITHOUT = {"shuffles": "shuffles", "overlap": "double buffering"}
MARKS = "<!-- ablation: begin -->", "<!-- ablation: end -->"


def lines(program, *options):
    """[(name, kernels, us, distance)] of a program, which ends with an error where a result is wrong."""
    done = subprocess.run([program, *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program}: {done.stdout}{done.stderr}")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return [(name, int(kernels), float(us), float(distance)) for name, kernels, us, distance in rows]


def measured(folder, reference):
    """{(engine, switch): [(kernels, us, distance) of each turn]}"""
    found = {}
    for turn in range(3):
        for program, engine in ENGINES.items():
            first = turn == 0 and engine == "sm_90a"
            runs = {"": lines(os.path.join(folder, program), reference, *(["--write"] if first else []))}
            for without in WITHOUT:
                replaced = os.path.join(folder, f"{program}_without_{without}")
                if os.path.exists(replaced):
                    runs[without] = lines(replaced, reference)
            for without, rows in runs.items():
                for name, *rest in rows:
                    found.setdefault((engine, WITHOUT.get(without, name)), []).append(rest)
    return found


def rows_of(found):
    rows = []
    for (engine, switch), turns in found.items():
        us = [t[1] for t in turns]
        whole = statistics.median(t[1] for t in found[engine, "everything"])
        median = statistics.median(us)
        rows.append({"name": f"ablation/124m/512/fp16/{engine}/{switch.replace(' ', '_')}", "us": round(median, 2),
                     "turns": us, "kernels": turns[0][0], "distance": max(t[2] for t in turns),
                     "peer": "everything on", "peer_us": round(whole, 2), "ratio": round(whole / median, 4)})
    return rows


def table(rows):
    of = {tuple(r["name"].split("/")[-2:]): r for r in rows}
    text = ["| off | kernels | Hopper's engine, µs | times as long | portable engine, µs | times as long |",
            "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for switch in SWITCHES:
        each = [of.get((engine, switch.replace(" ", "_"))) for engine in ENGINES.values()]
        cells = []
        for r in each:
            cells += [f"{r['us']:.0f}", f"{r['us'] / r['peer_us']:.2f}"] if r else ["–", "–"]
        kernels = next(r["kernels"] for r in each if r)
        text.append(f"| {'nothing' if switch == 'everything' else switch} | {kernels} | " + " | ".join(cells) + " |")
    return "\n".join(text)


def insert(page, text):
    with open(page) as f:
        before, _, rest = f.read().partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    if not rest:
        sys.exit(f"{page} has no '{MARKS[0]}'")
    with open(page, "w") as f:
        f.write(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", help="folder of the programs")
    parser.add_argument("--out", required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--docs", help="the page with the table")
    parser.add_argument("--table", action="store_true", help="measures nothing")
    args = parser.parse_args()
    file = os.path.join(args.out, "ablation.json")
    if args.table:
        with open(file) as f:
            ablation = json.load(f)
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = measured(args.programs, os.path.join(folder, "reference"))
        driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                                capture_output=True, text=True).stdout.splitlines()
        ablation = {"commit": args.commit, "date": datetime.date.today().isoformat(),
                    "driver": driver[0].replace(", ", ", driver ") if driver else "unknown", "rows": rows_of(found)}
        os.makedirs(args.out, exist_ok=True)
        with open(file, "w") as f:
            json.dump(ablation, f, indent=1)
            f.write("\n")
    text = table(ablation["rows"])
    print(ablation["driver"], text, sep="\n")
    if args.docs:
        insert(args.docs, text)


if __name__ == "__main__":
    main()
