# SPDX-License-Identifier: Apache-2.0
"""What measurements of GPT-2 share on the CPU and on a GPU: their arguments, the model, a read of memory, and
PyTorch's times by bench/gpt2_torch.py."""

import argparse
import contextlib
import json
import os
import re
import subprocess
import tempfile


def arguments(description, read_memory):
    """A parser with --programs, --model and --torch. `read_memory`: the program that reads memory."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help=f"folder with inlay-gpt2 and {read_memory}")
    parser.add_argument("--model", help="folder of a GPT-2 of 124M; without it, one of random weights is made")
    parser.add_argument("--torch", help="a Python with torch, for its times by bench/gpt2_torch.py")
    return parser


def output(*command):
    """The text that a program writes to both streams."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


@contextlib.contextmanager
def model_folder(gpt2, given, dtype, size="124m"):
    """The folder of the model: the one given, else a temporary one."""
    with tempfile.TemporaryDirectory() as folder:
        model = given or os.path.join(folder, size)
        if not given:
            output(gpt2, "--make-model", size, model, "--dtype", dtype)
        yield model


def bytes_of_a_token(model, element):
    """Every weight of the layers and of the vocabulary once, and a row of each embedding, of `element` bytes each."""
    with open(os.path.join(model, "config.json")) as f:
        config = json.load(f)
    width, inner = config["n_embd"], config.get("n_inner") or 4 * config["n_embd"]
    layer = 4 * width * width + 2 * width * inner + 9 * width + inner
    return element * (config["n_layer"] * layer + config["vocab_size"] * width + 4 * width)


def torch_us(python, positions, *options):
    """PyTorch's name and microseconds, of a token at each position: {position: (name, us)}; of prompts that `options`
    name too: {"prompt of 512": (name, us)}."""
    script = os.path.join(os.path.dirname(__file__), "gpt2_torch.py")
    text = output(python, script, "--positions", *map(str, positions), *options)
    lines = re.findall(r"^(.*?) (?:float|bfloat)\d+ .*position (\d+): ([\d.]+) us a token", text, re.M)
    prompts = re.findall(r"^(.*?) (?:float|bfloat)\d+ .*(prompt of \d+): ([\d.]+) us", text, re.M)
    return {int(position): (name, float(us)) for name, position, us in lines} | {
        prompt: (name, float(us)) for name, prompt, us in prompts}
