# SPDX-License-Identifier: Apache-2.0
"""GPT-2's tokens on the CPU as a share of what memory allows: `inlay-gpt2` beside a read of 1 GB by as many threads,
in turns, so that both see the same machine, and with --torch a token by PyTorch in each turn as well. Writes
bench/results/cpu/gpt2.json.

    python bench/gpt2_cpu.py --programs build/bench/bin [--model DIR] [--torch PYTHON] [--threads 2] [--turns 7]

The share is the bytes of the weights that a token reads, over its time, over the bytes a second of the median of six
reads around it; the row is that of the turn with the median share.
"""

import datetime
import json
import os
import re
import statistics
import subprocess

import gpt2_token


def cpu_model():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "unknown")


def main():
    parser = gpt2_token.arguments(__doc__, "read_memory")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(__file__), "results", "cpu", "gpt2.json"))
    args = parser.parse_args()
    gpt2, read = (os.path.join(args.programs, p) for p in ("inlay-gpt2", "read_memory"))

    with gpt2_token.model_folder(gpt2, args.model, "fp32") as model:
        size = gpt2_token.bytes_of_a_token(model, 4)
        turns = []
        for _ in range(args.turns):
            reads = gpt2_token.output(read, str(args.threads), "1e9", "3").split()
            text = gpt2_token.output(gpt2, "--model", model, "--device", "cpu", "--threads", str(args.threads),
                                     "--prompt", "A fox", "--tokens", "48")
            reads += gpt2_token.output(read, str(args.threads), "1e9", "3").split()
            gbs = statistics.median(map(float, reads))
            rate = float(re.search(r"\((\S+) tokens/s\)", text)[1])
            turns.append({"share": size * rate * 1e-9 / gbs, "tokens_s": rate, "read_gbs": gbs})
            if args.torch:
                [(peer, peer_us)] = gpt2_token.torch_us(args.torch, [25], "--device", "cpu", "--dtype", "float32",
                                                        "--threads", str(args.threads)).values()
                turns[-1] |= {"peer": peer, "peer_us": peer_us}
                print(f"{peer_us:8.1f} us a token by {peer}")
            print("{tokens_s:8.1f} tokens/s, a read {read_gbs:5.1f} GB/s, share {share:.2f}".format(**turns[-1]))
    turn = min(turns, key=lambda t: abs(t["share"] - statistics.median(u["share"] for u in turns)))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    row = {
        "name": f"gpt2_token/{os.path.basename(model)}/batch1/fp32",
        "us": round(1e6 / turn["tokens_s"], 1),
        "tokens_s": round(turn["tokens_s"], 2),
        "bytes": size,
        "read_gbs": round(turn["read_gbs"], 2),
        "share": round(turn["share"], 3),
        "least_share": round(min(t["share"] for t in turns), 3),
        "most_share": round(max(t["share"] for t in turns), 3),
    }
    if args.torch:
        peer_us = statistics.median(t["peer_us"] for t in turns)
        ratio = statistics.median(t["peer_us"] * t["tokens_s"] * 1e-6 for t in turns)
        row |= {"peer": turn["peer"], "peer_us": peer_us, "ratio": round(ratio, 3)}
    head = {
        "commit": commit or "unknown",
        "date": datetime.date.today().isoformat(),
        "driver": f"{cpu_model()}, {args.threads} threads, median of {args.turns} turns",
        "weights": "random" if not args.model else model,
    }
    with open(args.out, "w") as f:
        f.write(json.dumps(head)[:-1] + ', "rows": [\n  ' + json.dumps(row) + "\n]}\n")
    print(json.dumps(row))


if __name__ == "__main__":
    main()
