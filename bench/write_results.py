# SPDX-License-Identifier: Apache-2.0
"""Joins Google Benchmark's JSON with a peer's times: one file a suite, which is the first part of a benchmark's name.

    python bench/write_results.py [--load N] ours.json peer.json DIR
"""

import argparse
import datetime
import json
import os
import subprocess


def cpu_model():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "unknown")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours")
    parser.add_argument("peer")
    parser.add_argument("dir")
    parser.add_argument("--load", default="unknown", help="load average before the run")
    args = parser.parse_args()
    with open(args.ours) as f:
        ours = json.load(f)
    with open(args.peer) as f:
        peer = json.load(f)
    scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    suites = {}
    for b in ours["benchmarks"]:
        if b.get("aggregate_name") != "median":
            continue
        name = b["run_name"].removesuffix("/real_time")
        us = b["real_time"] * scale[b["time_unit"]]
        row = {"name": name, "us": round(us, 2)}
        for rate in ("GFLOP/s", "GB/s"):
            if rate in b:
                row[rate] = round(b[rate], 2)
        peer_us = peer["us"].get(name)
        if peer_us is not None:
            row |= {"peer": f"torch {peer['torch']}", "peer_us": peer_us, "ratio": round(peer_us / us, 3)}
        suites.setdefault(name.split("/")[0], []).append(row)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    head = {
        "commit": commit or "unknown",
        "date": datetime.date.today().isoformat(),
        "driver": f"{cpu_model()}, 2 threads, fp32, load average before {args.load}",
    }
    os.makedirs(args.dir, exist_ok=True)
    for suite, rows in suites.items():
        with open(os.path.join(args.dir, f"{suite}.json"), "w") as f:
            f.write(json.dumps(head)[:-1] + ', "rows": [\n')
            f.write(",\n".join("  " + json.dumps(row) for row in rows) + "\n]}\n")
        for row in rows:
            print(f"{row['name']:42} {row['us']:10.1f} us  {row.get('peer_us', float('nan')):10.1f} us  x{row.get('ratio', float('nan')):.2f}")


if __name__ == "__main__":
    main()
