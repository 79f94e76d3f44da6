# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's attention, and FlashInfer's where it can be imported, on the rows of bench/cuda/attention.

    python bench/attention_torch.py DIR [--filter REGEX] [--peers REGEX] [--jobs N] [--limit SECONDS] [--prepare]

Writes DIR/attention_torch.json: {"libraries", "rows": [{"name", "peers": {peer: µs}, "errors": {peer: relative L2
distance of some rows from fp64}, "failures": {peer: sentence}}]}, whatever programs of ours ran;
bench/attention_table.py joins it to their rows. Peers are PyTorch's kernels (cuDNN, FA2), FlexAttention and plain forms
compiled, FlashInfer's decode, FA3 and MLA. Inputs are random normals, copied until they take more than 128 MB; launches
over all copies are captured in a CUDA graph, and a time is the median of its replays, each peer alone. Rows run in a
process of their own that is started again behind a peer that ends it. --jobs: processes that compile beforehand, into
the caches.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time

import attention_peers
import attention_rows

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "attention_worker.py")


def work(names, peers, limit, report):
    """Has workers time all peers of all rows; report(name, key, peer, value) gets what came of each."""
    left = [(name, peer) for name in names for peer in attention_rows.peers_of(name) if re.search(peers, peer)]
    while left:
        command = [sys.executable, WORKER]
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        feed = threading.Thread(target=give, args=(worker, list(left)), daemon=True)
        feed.start()
        running, timer, done = None, None, 0
        for line in worker.stdout:
            if not line.startswith("{"):  # a library's own remark
                continue
            said = json.loads(line)
            if timer:
                timer.cancel()
            if "begin" in said:
                running = tuple(said["begin"])
                timer = threading.Timer(limit, worker.kill)
                timer.start()
                continue
            left.remove(running)
            for key in ("peers", "errors", "failures"):
                if key in said:
                    report(*running[:1], key, running[1], said[key])
            running, done = None, done + 1
        worker.wait()
        if timer:
            timer.cancel()
        if running:
            report(running[0], "failures", running[1], f"its process ended with {worker.returncode}")
            left.remove(running)
        elif left and not done:
            for name, peer in left:
                report(name, "failures", peer, f"no process could start: exit status {worker.returncode}")
            return


def give(worker, pairs):
    try:
        worker.stdin.write("".join(json.dumps(pair) + "\n" for pair in pairs))
        worker.stdin.close()
    except BrokenPipeError:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--filter", default="")
    parser.add_argument("--peers", default="")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--prepare", action="store_true", help="only fill the compilers' caches")
    parser.add_argument("--warm-limit", type=float, default=300, help="seconds of that")
    parser.add_argument("--limit", type=float, default=150, help="seconds of one peer on one row")
    args = parser.parse_args()
    names = [name for name in attention_rows.ROWS if re.search(args.filter, name)]
    rows = {name: {"name": name} for name in names}
    os.makedirs(args.dir, exist_ok=True)
    path = os.path.join(args.dir, "attention_torch.json")
    if os.path.exists(path):  # rows that this run leaves out keep what they have
        with open(path) as f:
            rows = {row["name"]: row for row in json.load(f)["rows"] if row["name"] not in rows} | rows

    def save():
        with open(path, "w") as f:
            f.write(json.dumps({"libraries": attention_peers.libraries()})[:-1] + ', "rows": [\n')
            f.write(",\n".join("  " + json.dumps(row) for row in rows.values()) + "\n]}\n")

    def report(name, key, peer, value):
        rows[name].setdefault(key, {})[peer] = value
        print(f"{name:56} {peer}: {key} {value}", flush=True)
        save()

    # Every peer that compiles is asked for once, so that the times below do not wait for compilers one by one.
    if args.jobs > 1:
        slow = attention_rows.compiling(names, args.peers)
        parts = [slow[i :: args.jobs] for i in range(args.jobs)]
        command = [sys.executable, WORKER, "--warm"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "text": True}
        jobs = [subprocess.Popen(command, stdin=subprocess.PIPE, **quiet) for _ in parts]
        for job, part in zip(jobs, parts):
            give(job, part)
        end = time.monotonic() + args.warm_limit
        for job in jobs:
            try:
                job.wait(timeout=max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                job.kill()
        print(f"compiled {len(slow)} peers beforehand", flush=True)
    if args.prepare:
        return
    work(names, args.peers, args.limit, report)
    save()


if __name__ == "__main__":
    main()
