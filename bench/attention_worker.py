# SPDX-License-Identifier: Apache-2.0
"""A worker of bench/attention_torch.py: pairs [row, peer] come in, a line each; for each it says that it begins, then
the peer's time and its distance from fp64, or why there is none. --warm runs each once, untimed."""

import json
import sys

import torch

import compare
from attention_rows import ROWS


def sentence(e):
    lines = [line.strip() for line in str(e).splitlines() if line.strip()]
    return f"{type(e).__name__}: {lines[0] if lines else ''}"[:200]


def main():
    warm = "--warm" in sys.argv
    torch._dynamo.config.recompile_limit = 1000
    torch.manual_seed(0)
    say = lambda **what: print(json.dumps(what), flush=True)
    with torch.no_grad():
        for line in sys.stdin:
            name, peer = json.loads(line)
            row = ROWS[name]
            say(begin=[name, peer])
            torch._dynamo.reset()
            try:
                make = row.peers[peer]
                operands = lambda: make.inputs(row) if hasattr(make, "inputs") else row.inputs()
                inputs, run = operands(), make(row)
                out = run(*inputs)
                if warm:
                    continue
                error = row.error(out, inputs)
                del out, inputs
                us = compare.microseconds(run, operands)
                say(peers=float(f"{us:.5g}"), errors=float(f"{error:.3g}"))
            except Exception as e:
                say(failures=sentence(e))
                if "CUDA error" in str(e):  # nothing works in this process any more
                    sys.exit(3)
            finally:
                run = out = inputs = None
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
