# SPDX-License-Identifier: Apache-2.0
"""GPT-2's tokens on a GPU by `inlay-gpt2 --replays`: its graph, its persistent launches and graphs of their phases
at several positions, in multiples of one read of the weights (`cuda_read_memory`), prompts of several lengths by
`--prompt-replays`, and with --torch those of torch.compile in the same job.

    python bench/gpt2_gpu.py --programs build/bench/bin [--model DIR] [--torch PYTHON] [--sizes 124m 355m]
        [--out gpt2.json]

A model that is made is in --dtype. A position is that of the last token: the prompt is as many digits, which no merge
joins. A prompt goes through the model at once, logits of its last token included. Only 124M has persistent launches.
"""

import argparse
import datetime
import json
import os
import re

import gpt2_token

MOST_TEXTS = {"fp16": 8, "fp32": 4}  # of persistent launches
TORCH = {"124m": (), "355m": ("--layers", "24", "--hidden", "1024", "--heads", "16")}


def measured(gpt2, model, dtype, prompt, *options):
    """What `inlay-gpt2` says of 200 replays behind a prompt of so many tokens: microseconds."""
    text = gpt2_token.output(gpt2, "--model", model, "--device", "cuda", "--dtype", dtype, "--prompt", "1" * prompt,
                             "--tokens", "2", *options)
    return float(re.search(r"^alone, median of 200: ([\d.e+]+) us a ", text, re.M).group(1))


def with_peer(row, peer):
    if peer:
        name, us = peer
        row |= {"peer": f"{name} in a CUDA graph", "peer_us": us, "ratio": round(us / row["us"], 3)}
    return row


def rows_of(args, size, gpt2, model):
    read = os.path.join(args.programs, "cuda_read_memory")
    read_us = float(gpt2_token.output(read, str(gpt2_token.bytes_of_a_token(model, 4 if args.dtype == "fp32" else 2))))
    peer, most = {}, MOST_TEXTS[args.dtype]
    if args.torch:
        peer = gpt2_token.torch_us(args.torch, args.positions, "--prompts", *map(str, args.prompts), *TORCH[size])
    rows = []

    def row(batch, position, way, *options):
        us = measured(gpt2, model, args.dtype, position, "--batch", str(batch), "--replays", "200", *options)
        rows.append(with_peer({"name": f"gpt2_token/{size}/batch{batch}/position{position}/{args.dtype}/{way}",
                               "us": round(us, 1), "read_us": read_us, "reads": round(us / read_us, 2)},
                              peer.get(position) if batch == 1 else None))

    def persistent(position, name, *options, batch=1):
        for way in ("persistent", "phases"):
            row(batch, position, f"{way}/{name}", "--token-by", way, *options)

    for position in args.positions:
        row(1, position, "graph")
        for n in args.launches if size == "124m" else []:
            if position + 2 >= n:
                persistent(position, f"{n}_a_launch", "--tokens-a-launch", str(n))
    restrictions = {"sampled": (), "top_k40": ("--top-k", "40"), "top_p0.95": ("--top-p", "0.95"),
                    "top_k40_top_p0.95": ("--top-k", "40", "--top-p", "0.95")}
    for batch in (1, *(b for b in args.batches if b <= most)) if size == "124m" else []:
        for name, options in restrictions.items():
            persistent(500, f"16_a_launch/{name}", "--temperature", "0.8", *options, batch=batch)
    for batch in args.batches:
        row(batch, 500, "graph")
        if size == "124m" and batch <= most:
            persistent(500, "16_a_launch", batch=batch)
    for n in args.prompts:
        us = measured(gpt2, model, args.dtype, n, "--chunk", str(n), "--prompt-replays", "200")
        new = {"name": f"gpt2_prefill/{size}/{n}/{args.dtype}", "us": round(us, 1)}
        rows.append(with_peer(new, peer.get(f"prompt of {n}")))
    return rows


def main():
    parser: argparse.ArgumentParser = gpt2_token.arguments(__doc__, "cuda_read_memory")
    parser.add_argument("--sizes", nargs="+", default=["124m"], choices=TORCH, help="of models that are made")
    parser.add_argument("--dtype", choices=MOST_TEXTS, default="fp16")
    parser.add_argument("--positions", type=int, nargs="+", default=[1, 100, 500, 1000])
    parser.add_argument("--batches", type=int, nargs="*", default=[2, 4, 8, 16, 32, 64],
                        help="at 500; up to 8, or 4 in fp32, by persistent launches too")
    parser.add_argument("--launches", type=int, nargs="+", default=[1, 16], help="tokens of a persistent launch")
    parser.add_argument("--prompts", type=int, nargs="*", default=[512], help="tokens of a prompt")
    parser.add_argument("--out", help="file for the rows, else stdout")
    args = parser.parse_args()
    if args.torch and args.dtype != "fp16":
        parser.error(f"--dtype is {args.dtype}, expected fp16 with --torch")
    gpt2 = os.path.join(args.programs, "inlay-gpt2")
    rows = []
    for size in args.sizes:
        with gpt2_token.model_folder(gpt2, args.model if size == "124m" else None, args.dtype, size) as model:
            rows += rows_of(args, size, gpt2, model)
    result = {"date": datetime.date.today().isoformat(), "weights": "random", "rows": rows}
    text = json.dumps(result, indent=1)
    if args.out:
        with open(args.out, "w") as f:
            f.write(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
