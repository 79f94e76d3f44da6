# SPDX-License-Identifier: Apache-2.0
"""The study of docs/study.md: times the workloads of study.cu and peers.py in one job, reads the bytes that each moves
from the profiler's DRAM counters where the machine allows, and writes OUT/study.json.

    python bench/study/run.py --program build/bench-cuda/bin/study --out bench/results/GPU [--commit C] [--skip-bytes]

`us` of a row is the fused Inlay kernel, `peer` the fastest of the others that are not Inlay. Extra fields: `times` of all
implementations, `read` and `written` in bytes, `least`: what must be moved. Rows "swish/block/N" compare Inlay and Triton
where a block takes N elements.
"""

import argparse
import csv
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TENSOR = 4 << 27
LEAST = {"add": 3 * TENSOR, "swish": 2 * TENSOR, "softmax": 2 * TENSOR}
METRICS = {"dram__bytes_read.sum": "read", "dram__bytes_write.sum": "written"}


def lines(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]


def counted(command):
    """{(workload, implementation): {"read": bytes, "written": bytes}} by ncu; empty where it may not count."""
    ncu = shutil.which("ncu")
    if not ncu:
        return {}
    with tempfile.NamedTemporaryFile("r", suffix=".csv") as log:
        profiler = [ncu, "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none", "--csv",
                    "--print-units", "base", "--target-processes", "application-only", "--log-file", log.name,
                    "--metrics", ",".join(METRICS)]
        done = subprocess.run([*profiler, *command], capture_output=True, text=True,
                              env={**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1"})
        table = [line for line in log.read().splitlines() if line.startswith('"')]
    if done.returncode or len(table) < 2:
        print(f"no bytes: {' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}", file=sys.stderr)
        return {}
    names = [tuple(line.split("\t")) for line in done.stdout.splitlines() if "\t" in line]
    found, marks = {}, []
    for row in csv.DictReader(table):
        if re.fullmatch(r"(.*::)?marker(\(.*\))?", row["Kernel Name"]):
            if row["ID"] not in marks:
                marks.append(row["ID"])
        elif row["Metric Name"] in METRICS and marks:
            bytes_of = found.setdefault(names[len(marks) - 1], {"read": 0, "written": 0})
            bytes_of[METRICS[row["Metric Name"]]] += int(float(row["Metric Value"].replace(",", "")))
    return found


def rows(times, moved):
    result = []
    by_block = {side: {name: us for work, name, us in t if work == "swish by block"} for side, t in times.items()}
    measured = [(work, name, us) for t in times.values() for work, name, us in t if work != "swish by block"]
    for work, least in LEAST.items():
        of = {name: us for w, name, us in measured if w == work}
        peers = {name: us for name, us in of.items() if not name.startswith("Inlay")}
        peer = min(peers, key=peers.get)
        result.append({
            "name": f"{work}/{1 << 27}/fp32", "us": of["Inlay"], "peer": peer, "peer_us": peers[peer],
            "ratio": round(peers[peer] / of["Inlay"], 4), "times": of, "least": least,
            **{key: {n: b[key] for (w, n), b in moved.items() if w == work} for key in METRICS.values()},
        })
    for block, us in by_block["ours"].items():
        theirs = by_block["peers"][block]
        result.append({"name": f"swish/block/{block}", "block": int(block), "us": us, "peer": "Triton",
                       "peer_us": theirs, "ratio": round(theirs / us, 4)})
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--skip-bytes", action="store_true")
    args = parser.parse_args()
    programs = {"ours": [args.program], "peers": [sys.executable, os.path.join(HERE, "peers.py")]}
    times = {side: [(w, n, float(us)) for w, n, us in lines([*p, "time"])] for side, p in programs.items()}
    moved = {}
    for p in programs.values() if not args.skip_bytes else []:
        moved.update(counted([*p, "profile"]))
    driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                            capture_output=True, text=True).stdout.splitlines()
    study = {"commit": args.commit, "date": datetime.date.today().isoformat(),
             "driver": driver[0].replace(", ", ", driver ") if driver else "unknown", "rows": rows(times, moved)}
    os.makedirs(args.out, exist_ok=True)
    with open(os.path.join(args.out, "study.json"), "w") as f:
        json.dump(study, f, indent=1)
        f.write("\n")
    for row in study["rows"]:
        print(f"{row['name']:26} {row['us']:10.2f} us  {row['peer']} {row['peer_us']:.2f} ({row['ratio']:.2f} x)")


if __name__ == "__main__":
    main()
