# SPDX-License-Identifier: Apache-2.0
"""Joins the peers of DIR/attention_torch.json to the rows of DIR/attention*.json and prints each row beside what it is
wanted to reach.

    python bench/attention_table.py DIR

A joined row has all `peers`, the fastest as `peer`, `peer_us` and `ratio`, the peers' `errors` and `failures`. The last
column is our distance from fp64 over that of PyTorch's best kernel. The exit status is 0 whatever was reached.
"""

import argparse
import glob
import json
import os
import re

CUDNN, FA3, FLASHINFER, FLEX = r"cuDNN", r"FA3", r"FlashInfer", r"FlexAttention"

# (row, peers that count, least ratio of their best time to ours, {number of the row: least value})
WANTED = (
    (r"attention/(full|causal)/8x32x2048x2048x128/", f"{CUDNN}|{FA3}", 1.05, {}),
    (r"attention/causal/.*/bf16", CUDNN, 0.9, {}),
    (r"attention/softcap/", FLEX, 2.2, {}),
    (r"attention/window/", FLEX, 2.0, {}),
    (r"attention/(alibi|documents|prefix|sink_window)/", FLEX, 1.3, {"of_causal": 0.8}),
    (r"attention/decode/64x", CUDNN, 0.97, {}),
    (r"attention/decode/1x", f"{CUDNN}|{FLASHINFER}", 0.95, {}),
    (r"attention/paged1/", None, None, {"of_unpaged": 0.85}),
    (r"attention/paged", None, None, {"of_unpaged": 0.95}),
    (r"attention/decode_fp8/", None, None, {"of_bf16": 1.6}),
    (r"attention/mla/", r"torch\.compile", 2.0, {}),
)


def load(path):
    with open(path) as f:
        return json.load(f)


def save(path, suite):
    head = {k: v for k, v in suite.items() if k != "rows"}
    with open(path, "w") as f:
        f.write(json.dumps(head)[:-1] + ', "rows": [\n')
        f.write(",\n".join("  " + json.dumps(row) for row in suite["rows"]) + "\n]}\n")


def join(row, more):
    for key in ("peers", "errors", "failures"):
        if more.get(key):
            row[key] = {**row.get(key, {}), **more[key]}
    if row.get("peers") and row.get("us"):
        row["peer"], row["peer_us"] = min(row["peers"].items(), key=lambda p: p[1])
        row["ratio"] = float(f"{row['peer_us'] / row['us']:.5g}")


def verdicts(row):
    """(what, reached or None, wanted) for each promise of a row."""
    for pattern, peers, least, numbers in WANTED:
        if re.match(pattern, row["name"]):
            if peers:
                times = {p: us for p, us in row.get("peers", {}).items() if re.search(peers, p)}
                peer = min(times, key=times.get, default=None)
                us = row.get("us")
                yield peer or peers.replace("\\", ""), times[peer] / us if peer and us else None, least
            for key, wanted in numbers.items():
                yield key, row.get(key), wanted
            return


def error_of_torch(row):
    """Our distance from fp64 over the least of PyTorch's kernels."""
    theirs = [e for peer, e in row.get("errors", {}).items() if "FlashInfer" not in peer]
    return row["fp64_l2"] / min(theirs) if theirs and row.get("fp64_l2") else None


def rate(row):
    if row.get("tflops"):
        return f"{row['tflops']:.0f} TFLOP/s"
    return f"{row['gbs']:.0f} GB/s" if row.get("gbs") else ""


def line(name, us="", speed="", best="", peer_us="", ratio="", promise="", error=""):
    print(f"{name:52} {us:>10} {speed:>13}  {best:30} {peer_us:>10} {ratio:>6}  {promise:52} {error:>6}".rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    folder = parser.parse_args().dir
    found = os.path.join(folder, "attention_torch.json")
    torch = load(found) if os.path.exists(found) else {"libraries": {}, "rows": []}
    more = {row["name"]: row for row in torch["rows"]}
    ours, met, missed = set(), 0, 0
    line("row", "ours, µs", "rate", "best peer", "µs", "ratio", "promises: reached / wanted", "error over torch's")
    for path in sorted(glob.glob(os.path.join(folder, "attention*.json"))):
        if path == found:
            continue
        suite = load(path)
        suite["libraries"].update(torch["libraries"])
        print(f"-- {os.path.basename(path)}: {suite['driver']}, commit {suite['commit']}, {suite['date']}")
        for row in suite["rows"]:
            join(row, more.get(row["name"], {}))
            ours.add(row["name"])
            if not row.get("us"):
                line(row["name"], "FAILED", best=row.get("error", ""))
                continue
            said = []
            for what, reached, wanted in verdicts(row):
                good = reached is not None and reached >= wanted
                met, missed = met + good, missed + (not good)
                shown = "?" if reached is None else f"{reached:.2f}"
                said.append(f"{'met' if good else 'MISSED'} {shown}/{wanted} {what}")
            if row.get("over_plain"):
                said.append(f"{row['over_plain']:.3f} of plain")
            if row.get("wrong"):
                said.insert(0, "WRONG")
            error = error_of_torch(row)
            line(
                row["name"].removeprefix("attention/"),
                f"{row['us']:.2f}",
                rate(row),
                row.get("peer", ""),
                f"{row['peer_us']:.2f}" if row.get("peer_us") else "",
                f"{row['ratio']:.2f}" if row.get("ratio") else "",
                "; ".join(said),
                f"{error:.2f}" if error else "",
            )
        save(path, suite)
    for name, row in ((n, r) for n, r in more.items() if n not in ours):
        times = ", ".join(f"{p} {us:.2f}" for p, us in row.get("peers", {}).items())
        line(name.removeprefix("attention/"), "-", best=times)
    for row in torch["rows"]:
        for peer, why in row.get("failures", {}).items():
            print(f"no peer: {row['name']}: {peer}: {why}")
    print(f"{met} promises met, {missed} missed")


if __name__ == "__main__":
    main()
