# SPDX-License-Identifier: Apache-2.0
"""Times one guided step of Stable Diffusion 1.x and its VAE decoder on the CPU: inlay-sd, OpenVINO and PyTorch in turn.

    python bench/unet_cpu.py DIR --inlay build/release/bin/inlay-sd [--dtypes fp32 bf16] [--size 256x256] [--threads 2]
        [--rounds 5] [--repeats 3] [--peers openvino torch] [--memory-formats contiguous_format channels_last]
        [--stages step decode] [--seconds S] [--ir FOLDER] [--json FILE]

DIR is a diffusers folder, from which all three read the same weights. A peer runs the UNet on a batch of 2, the two
halves of guidance, and the decoder on one image; inlay-sd's step is that of `--replays`: the UNet, guidance and the
DDIM update, without what it computes once per prompt or schedule (keys and values of the text, time embeddings). Each
engine runs once untimed; then in each round every engine runs `repeats` times and the round's figure is their median,
and the figure of an engine is the median of the rounds, in milliseconds. PyTorch runs as in diffusers, without
torch.compile, in each of its two memory formats. Of several counts of threads each has rounds of its own, and none
begins once S seconds have passed; the file has what was measured until then. OpenVINO's models are converted once into FOLDER, weights in fp16; its
precision hint is the dtype. Needs openvino; torch and diffusers for PyTorch, and once to convert.
"""

import argparse
import functools
import itertools
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import tempfile
import time

import numpy

STAGES = ("step", "decode")
MEMORY_FORMATS = ("contiguous_format", "channels_last")


@functools.lru_cache(maxsize=None)
def modules_of(folder, stages, dtype, memory_format):
    """The UNet and the decoder as functions of tensors, by stage."""
    import torch
    from diffusers import AutoencoderKL, UNet2DConditionModel

    class Unet(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = UNet2DConditionModel.from_pretrained(folder, subfolder="unet", torch_dtype=dtype)

        def forward(self, latents, time, context):
            return self.net(latents, time, encoder_hidden_states=context, return_dict=False)[0]

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = AutoencoderKL.from_pretrained(folder, subfolder="vae", torch_dtype=dtype)

        def forward(self, latents):
            return self.net.decode(latents, return_dict=False)[0]

    modules = {s: {"step": Unet, "decode": Decoder}[s]().eval() for s in stages}
    return {s: m.to(memory_format=memory_format) for s, m in modules.items()}


def inputs_of(args):
    width, height = (int(v) // 8 for v in args.size.split("x"))
    random = numpy.random.default_rng(1)

    def normal(*shape):
        return random.standard_normal(shape, dtype=numpy.float32)

    inputs = {
        "step": [normal(2, 4, height, width), numpy.full(1, 500, numpy.float32), normal(2, 77, 768)],
        "decode": [normal(1, 4, height, width)],
    }
    return {s: inputs[s] for s in args.stages}


def milliseconds(run, repeats):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


class Torch:
    def __init__(self, args, dtype, threads, memory_format):
        import torch

        self.torch, self.threads = torch, threads
        as_dtype, form = getattr(torch, {"fp32": "float32", "bf16": "bfloat16"}[dtype]), getattr(torch, memory_format)
        self.version = torch.__version__.split("+")[0]
        self.modules = modules_of(args.dir, tuple(args.stages), as_dtype, form)
        self.inputs = {s: [torch.from_numpy(v).to(as_dtype) for v in values] for s, values in inputs_of(args).items()}
        for values in self.inputs.values():
            values[0] = values[0].to(memory_format=form)
        self.turn(1)

    def turn(self, repeats):
        self.torch.set_num_threads(self.threads)
        with self.torch.inference_mode():
            return {s: milliseconds(lambda s=s: self.modules[s](*self.inputs[s]), repeats) for s in self.modules}


def convert(args, stage):
    import openvino
    import torch

    module = modules_of(args.dir, (stage,), torch.float16, torch.contiguous_format)[stage].float()
    inputs = inputs_of(args)[stage]
    with torch.no_grad():
        model = openvino.convert_model(module, example_input=tuple(torch.from_numpy(v) for v in inputs))
    for port, value in zip(model.inputs, inputs):
        port.get_node().set_partial_shape(openvino.PartialShape(list(value.shape)))
    model.validate_nodes_and_infer_types()
    openvino.save_model(model, os.path.join(args.ir, f"{stage}-{args.size}.xml"), compress_to_fp16=True)


class OpenVino:
    def __init__(self, args, dtype, threads):
        import openvino

        core = openvino.Core()
        hints = {
            "INFERENCE_PRECISION_HINT": {"fp32": "f32", "bf16": "bf16"}[dtype],
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
        }
        self.version = openvino.__version__.split("-")[0]
        self.requests, self.inputs = {}, inputs_of(args)
        for s in args.stages:
            path = os.path.join(args.ir, f"{s}-{args.size}.xml")
            if not os.path.exists(path):
                # In a process of its own, which gives the memory back.
                process = multiprocessing.get_context("spawn").Process(target=convert, args=(args, s))
                process.start()
                process.join()
            self.requests[s] = core.compile_model(path, "CPU", hints).create_infer_request()
        self.turn(1)

    def turn(self, repeats):
        return {s: milliseconds(lambda s=s: self.requests[s].infer(self.inputs[s]), repeats) for s in self.requests}


class Inlay:
    def __init__(self, args, dtype, threads):
        self.stages = args.stages
        self.command = [
            args.inlay, "--model", args.dir, "--prompt", "a lighthouse", "--seed", "1", "--steps", "1",
            "--size", args.size, "--threads", str(threads), "--dtype", dtype, "--device", "cpu",
        ]  # fmt: skip

    def turn(self, repeats):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "image.png")
            command = self.command + ["--replays", str(repeats), "--out", out]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        return {s: float(re.search(rf"\b{s} ([0-9.]+) ms", text).group(1)) for s in self.stages}


def compared(args, dtype, threads):
    engines = {"inlay-sd": Inlay(args, dtype, threads)}
    if "openvino" in args.peers:
        engine = OpenVino(args, dtype, threads)
        engines[f"OpenVINO {engine.version}"] = engine
    if "torch" in args.peers:
        for memory_format in args.memory_formats:
            engine = Torch(args, dtype, threads, memory_format)
            engines[f"PyTorch {engine.version}, {memory_format}"] = engine
    times = {name: {s: [] for s in args.stages} for name in engines}
    for _ in range(args.rounds):
        for name, engine in engines.items():
            for s, t in engine.turn(args.repeats).items():
                times[name][s].append(t)
    return times


def rows_of(args, dtype, threads):
    """The results of one dtype and one count of threads, printed as they come."""
    times = compared(args, dtype, threads)
    rows = []
    for stage in args.stages:
        ours = statistics.median(times["inlay-sd"][stage])
        for name, by_stage in times.items():
            theirs = statistics.median(by_stage[stage])
            rounds = ", ".join(f"{v:.1f}" for v in by_stage[stage])
            print(f"{dtype} {stage:6} {threads:2} {name:36} {theirs:9.1f} ms  of {rounds}", flush=True)
            if name != "inlay-sd":
                rows.append(
                    {
                        "name": f"sd15 {args.size} {dtype}: {stage}",
                        "us": round(ours * 1e3),
                        "peer": f"{name}, {threads} threads",
                        "peer_us": round(theirs * 1e3),
                        "ratio": round(theirs / ours, 3),
                    }
                )
    return rows


def write(args, rows, load):
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    with open("/proc/cpuinfo") as f:
        cpu = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "unknown")
    threads = ", ".join(str(n) for n in args.threads)
    report = {
        "commit": run.stdout.strip() or "unknown",
        "date": time.strftime("%Y-%m-%d"),
        "driver": f"{cpu}, {threads} threads, median of {args.rounds} rounds in turn, load average before "
        f"{load:.2f}; bench/unet_cpu.py",
        "rows": rows,
    }
    with open(args.json, "w") as f:
        f.write(json.dumps(report, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--inlay", required=True, help="the program inlay-sd")
    parser.add_argument("--dtypes", nargs="+", choices=["fp32", "bf16"], default=["fp32", "bf16"])
    parser.add_argument("--size", default="256x256", metavar="WxH")
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", nargs="*", choices=["openvino", "torch"], default=["openvino", "torch"])
    parser.add_argument("--memory-formats", nargs="+", choices=MEMORY_FORMATS, default=MEMORY_FORMATS)
    parser.add_argument("--seconds", type=float, default=1e9, help="no further count of threads begins after these")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
    parser.add_argument("--ir", default="build/openvino", help="folder of OpenVINO's models")
    parser.add_argument("--json", help="file of results to write")
    args = parser.parse_args()
    os.makedirs(args.ir, exist_ok=True)
    load, begin = os.getloadavg()[0], time.perf_counter()

    rows = []
    for threads, dtype in itertools.product(args.threads, args.dtypes):
        if time.perf_counter() - begin > args.seconds:
            print(f"not measured, for want of time: {dtype} by {threads} threads")
            continue
        rows += rows_of(args, dtype, threads)
        if len(args.threads) == 1:
            modules_of.cache_clear()
        if args.json:
            write(args, rows, load)


if __name__ == "__main__":
    main()
