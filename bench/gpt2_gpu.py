# SPDX-License-Identifier: Apache-2.0
"""GPT-2's tokens on a GPU by `inlay-gpt2 --replays`: its graph and its persistent launches at several positions, in
multiples of one read of the weights (`cuda_read_memory`), and with --torch those of torch.compile in the same job.

    python bench/gpt2_gpu.py --programs build/bench/bin [--model DIR] [--torch PYTHON] [--out gpt2.json]

Without --model, a 124M model of random weights is made in fp16. A position is that of the last token: the prompt is as
many digits, which no merge joins.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import tempfile


def bytes_of_a_token(config):
    """Every weight of the layers and of the vocabulary once, in 16 bits."""
    width, inner = config["n_embd"], config.get("n_inner") or 4 * config["n_embd"]
    layer = 4 * width * width + 2 * width * inner + 9 * width + inner
    return 2 * (config["n_layer"] * layer + config["vocab_size"] * width + 4 * width)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder with inlay-gpt2 and cuda_read_memory")
    parser.add_argument("--model", help="folder of a GPT-2")
    parser.add_argument("--torch", help="a Python with torch, for a token of 124M by bench/gpt2_torch.py")
    parser.add_argument("--positions", type=int, nargs="+", default=[1, 100, 500, 1000])
    parser.add_argument("--batches", type=int, nargs="*", default=[2, 4, 8, 16, 32, 64], help="of the graph, at 500")
    parser.add_argument("--launches", type=int, nargs="+", default=[1, 16], help="tokens of a persistent launch")
    parser.add_argument("--out", help="file for the rows, else stdout")
    args = parser.parse_args()
    gpt2, read = (os.path.join(args.programs, p) for p in ("inlay-gpt2", "cuda_read_memory"))

    def said(*command):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout + done.stderr

    with tempfile.TemporaryDirectory() as folder:
        model = args.model or os.path.join(folder, "124m")
        if not args.model:
            said(gpt2, "--make-model", "124m", model, "--dtype", "fp16")
        with open(os.path.join(model, "config.json")) as f:
            size = bytes_of_a_token(json.load(f))
        read_us = float(said(read, str(size)))
        peer = {}
        if args.torch:
            script = os.path.join(os.path.dirname(__file__), "gpt2_torch.py")
            text = said(args.torch, script, "--positions", *map(str, args.positions))
            peer = {int(p): float(us) for p, us in re.findall(r"position (\d+): ([\d.]+) us a token", text)}
        rows = []

        def row(batch, position, way, *options):
            text = said(gpt2, "--model", model, "--device", "cuda", "--dtype", "fp16", "--prompt", "1" * position,
                        "--tokens", "2", "--batch", str(batch), "--replays", "200", *options)
            us = float(re.search(r"^alone, median of 200: ([\d.e+]+) us a token", text, re.M).group(1))
            new = {"name": f"gpt2_token/124m/batch{batch}/position{position}/fp16/{way}", "us": round(us, 1),
                   "read_us": read_us, "reads": round(us / read_us, 2)}
            if batch == 1 and position in peer:
                new |= {"peer": "torch.compile in a CUDA graph", "peer_us": peer[position],
                        "ratio": round(peer[position] / us, 3)}
            rows.append(new)

        for position in args.positions:
            row(1, position, "graph")
            for n in args.launches:
                if position + 2 >= n:
                    row(1, position, f"persistent/{n}_a_launch", "--token-by", "persistent", "--tokens-a-launch",
                        str(n))
        for batch in args.batches:
            row(batch, 500, "graph")
    result = {"date": datetime.date.today().isoformat(), "weights": "random", "rows": rows}
    text = json.dumps(result, indent=1)
    if args.out:
        with open(args.out, "w") as f:
            f.write(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
