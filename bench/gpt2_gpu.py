# SPDX-License-Identifier: Apache-2.0
"""GPT-2's tokens on a GPU by `inlay-gpt2 --replays`: its graph and its persistent launches at several positions, in
multiples of one read of the weights (`cuda_read_memory`), and with --torch those of torch.compile in the same job.

    python bench/gpt2_gpu.py --programs build/bench/bin [--model DIR] [--torch PYTHON] [--out gpt2.json]

A model that is made is in fp16. A position is that of the last token: the prompt is as many digits, which no merge
joins.
"""

import datetime
import json
import os
import re

import gpt2_token


def main():
    parser = gpt2_token.arguments(__doc__, "cuda_read_memory")
    parser.add_argument("--positions", type=int, nargs="+", default=[1, 100, 500, 1000])
    parser.add_argument("--batches", type=int, nargs="*", default=[2, 4, 8, 16, 32, 64], help="of the graph, at 500")
    parser.add_argument("--launches", type=int, nargs="+", default=[1, 16], help="tokens of a persistent launch")
    parser.add_argument("--out", help="file for the rows, else stdout")
    args = parser.parse_args()
    gpt2, read = (os.path.join(args.programs, p) for p in ("inlay-gpt2", "cuda_read_memory"))

    with gpt2_token.model_folder(gpt2, args.model, "fp16") as model:
        read_us = float(gpt2_token.output(read, str(gpt2_token.bytes_of_a_token(model, 2))))
        peer = gpt2_token.torch_us(args.torch, args.positions) if args.torch else {}
        rows = []

        def row(batch, position, way, *options):
            text = gpt2_token.output(gpt2, "--model", model, "--device", "cuda", "--dtype", "fp16", "--prompt",
                                     "1" * position, "--tokens", "2", "--batch", str(batch), "--replays", "200",
                                     *options)
            us = float(re.search(r"^alone, median of 200: ([\d.e+]+) us a token", text, re.M).group(1))
            new = {"name": f"gpt2_token/124m/batch{batch}/position{position}/fp16/{way}", "us": round(us, 1),
                   "read_us": read_us, "reads": round(us / read_us, 2)}
            if batch == 1 and position in peer:
                peer_name, peer_us = peer[position]
                new |= {"peer": f"{peer_name} in a CUDA graph", "peer_us": peer_us, "ratio": round(peer_us / us, 3)}
            rows.append(new)

        for position in args.positions:
            row(1, position, "graph")
            for n in args.launches:
                if position + 2 >= n:
                    row(1, position, f"persistent/{n}_a_launch", "--token-by", "persistent", "--tokens-a-launch",
                        str(n))
        restrictions = {"sampled": (), "top_k40": ("--top-k", "40"), "top_p0.95": ("--top-p", "0.95"),
                        "top_k40_top_p0.95": ("--top-k", "40", "--top-p", "0.95")}
        for name, options in restrictions.items():
            row(1, 500, f"persistent/16_a_launch/{name}", "--token-by", "persistent", "--temperature", "0.8", *options)
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
