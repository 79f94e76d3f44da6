# SPDX-License-Identifier: Apache-2.0
"""Makes docs/performance.md and its charts from the JSON of bench/run_cuda.sh, and prints the summary.

python bench/report.py DIR [--docs DIR]     # without --docs only the summary is printed
"""

import argparse
import glob
import json
import os

import attention_table
import placements
import plot

ATTENTION = tuple(f"attention_{rows}" for rows in ("masks", "lengths", "decode", "paged", "fp8", "mla", "rotary", "prices"))
ORDER = ("conv2d", "linear", "attention", *ATTENTION, "group_norm", "rows", "elementwise", "reduce", "price_list")
LIBRARIES = ("cuDNN", "cuBLASLt")


def load(folder):
    suites = {}
    for path in glob.glob(os.path.join(folder, "*.json")):
        name = os.path.splitext(os.path.basename(path))[0]
        if name in ORDER:
            with open(path) as f:
                suites[name] = json.load(f)
    return {name: suites[name] for name in ORDER if name in suites}


def timed(suites):
    return [row for suite in suites.values() for row in suite["rows"] if row.get("us")]


def library_us(row):
    times = [us for peer, us in row.get("peers", {}).items() if peer in LIBRARIES]
    return min(times) if times else None


def weighted(rows, peer):
    """Sum of the peer's times over ours, each layer as often as it runs."""
    pairs = [(r["count"] * peer(r), r["count"] * r["us"]) for r in rows if peer(r)]
    return sum(p for p, _ in pairs) / sum(o for _, o in pairs) if pairs else None


def worst(rows, peer):
    pairs = [(peer(r) / r["us"], r["name"]) for r in rows if peer(r)]
    return min(pairs) if pairs else (None, "")


def summary(suites):
    """(what, value or None, wanted, remark) for each promise."""
    rows = timed(suites)
    copied = [
        r["bytes"] / min(r["us"], *r["peers"].values()) / 1e3
        for r in rows
        if r["name"].startswith("elementwise/copy/") and r["bytes"] >= 2**29 and r.get("peers")
    ]
    ceiling = max([s["ceilings"]["copy_gbs"] for s in suites.values()] + copied, default=0)

    def bandwidth(what, some, wanted):
        slow = min(some, key=lambda r: r["gbs"], default=None)
        return what, slow and slow["gbs"] / ceiling, wanted, slow["name"] if slow else ""

    starts = lambda *prefixes: [r for r in rows if r["name"].startswith(prefixes)]
    products = [r for r in starts("conv3x3/bias/", "conv1x1/bias/", "linear/bias/") if r["dtype"] == "fp16"]
    step = [r for r in products if r.get("model") == "unet"]
    lines = [
        (
            "convolutions and linears of a step, weighted by time, against the better of cuDNN and cuBLASLt",
            weighted(step, library_us),
            0.6,
            f"{len(step)} shapes",
        )
    ]
    ratio, name = worst(step, library_us)
    lines.append(("the worst of them", ratio, 0.3, name))
    fa2 = lambda r: r.get("peers", {}).get("FA2")
    for r in starts("attention/full/2x8x4096x4096x40/fp16"):
        lines.append(
            (
                "attention 4096², d40, against FA2",
                fa2(r) / r["us"] if fa2(r) else None,
                0.8,
                ", ".join(f"{p} {us:.1f} µs" for p, us in r.get("peers", {}).items()) + f", ours {r['us']:.1f}",
            )
        )
    for r in starts("attention/base2/2x8x4096x4096x40/fp16"):
        lines.append(("the same of powers of two, against the best peer", r.get("ratio"), 1.5, r["peer"]))
    compiled = lambda r: r.get("peers", {}).get("torch.compile")
    norms = [r for r in starts("group_norm_silu/") if r.get("model") == "unet" and r["dtype"] == "fp16"]
    ratio, name = worst(norms, compiled)
    lines.append(
        (
            "GroupNorm+SiLU of a step, weighted by time, against torch.compile",
            weighted(norms, compiled),
            1.5,
            f"worst {ratio:.2f}: {name}" if ratio else "",
        )
    )
    large = [
        r
        for r in starts("elementwise/copy/", "elementwise/silu/", "elementwise/add/")
        if r["bytes"] / (3 if "/add/" in r["name"] else 2) >= 2**28
    ]
    lines.append(bandwidth("elementwise from 256 MB on, against the fastest copy", large, 0.95))
    torch_us = lambda r: min((us for p, us in r.get("peers", {}).items() if p.startswith("torch")), default=None)
    ratio, name = worst(starts("softmax/"), torch_us)
    lines.append(
        ("softmax, rows of 128 to 65536, against the best of eager and compiled PyTorch, worst", ratio, 1.0, name)
    )
    for weights, prefix in (("packed", "gemv/bias/"), ("a tensor's", "gemv/bias_unpacked/")):
        what = (
            f"products of at most 8 rows, {weights} weights, share of the fastest copy's bandwidth, "
            "worst from 32 MB of weights on"
        )
        lines.append(bandwidth(what, [r for r in starts(prefix) if r["bytes"] >= 2**25], 0.8))
    return lines


def number(v):
    return "" if v is None else f"{v:.2f}" if v < 100 else f"{v:.0f}"


def table(rows, columns):
    text = "| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns) + "\n"
    for row in rows:
        text += "| " + " | ".join(str(c) for c in row) + " |\n"
    return text + "\n"


def peer_table(rows):
    body = []
    for r in rows:
        others = ", ".join(f"{p} {number(us)}" for p, us in r.get("peers", {}).items() if p != r.get("peer"))
        ratio = number(r.get("ratio"))
        body.append(
            (
                r["name"],
                f"{r.get('count', ''):g}" if r.get("count") else "",
                number(r["us"]),
                r.get("peer", ""),
                number(r.get("peer_us")),
                f"**{ratio}**" if r.get("ratio", 1) < 1 else ratio,
                f"{100 * r['fraction']:.0f}% {r['bound']}" if r.get("fraction") else "",
                number(r.get("unfused_us")),
                others,
            )
        )
    return table(
        body,
        ("row", "runs", "ours, µs", "best peer", "peer, µs", "ratio", "of ceiling", "unfused, µs", "others, µs"),
    )


def peers_lacking(rows):
    alone = sum(not r.get("peers") for r in rows)
    return f"{alone} of the {len(rows)} rows have no peer.\n\n" if alone else ""


def price_table(rows):
    body = [
        (
            r["name"].removeprefix("price/"),
            number(r["us"]),
            number(r["plain_us"]),
            number(r["unfused_us"]),
            number(r["fused_over_plain"]),
            (
                f"**{number(r['fused_over_separate'])}**"
                if r["fused_over_separate"] > 1
                else number(r["fused_over_separate"])
            ),
        )
        for r in rows
        if r.get("fused_over_plain")
    ]
    return table(
        body,
        (
            "fusion / layer",
            "fused, µs",
            "plain, µs",
            "plain and own pass, µs",
            "fused ÷ plain",
            "fused ÷ (plain + pass)",
        ),
    )


def attention_price_table(rows):
    return table(
        [
            (r["name"].split("/")[2], *(number(r.get(key)) for key in ("us", "plain_us", "over_plain", "tflops")))
            for r in rows
        ],
        ("score or row", "µs", "plain, µs", "over plain", "TFLOP/s"),
    )


def verdict(value, wanted):
    return "" if value is None else "yes" if value >= wanted else "**no**"


def promises(rows):
    """What rows of attention are wanted to reach."""
    body = [
        (r["name"], what, number(v) or "not measured", f"≥ {wanted}", verdict(v, wanted))
        for r in rows
        for what, v, wanted in attention_table.verdicts(r)
    ]
    return table(body, ("row", "against", "measured", "wanted", "met")) if body else ""


def copies(suites):
    """What copy the rows were held against: since a run that has `copy_kernel_gbs`, the better of two."""
    if all("copy_kernel_gbs" in s["ceilings"] for s in suites.values()):
        return """\
The copy is the faster of `cudaMemcpyAsync` and a kernel that moves 16 bytes a load, four loads in flight, over the same
1 GiB buffers in turn."""
    return """\
The rows below were taken against a copy by `cudaMemcpyAsync` alone, of 1 GiB. On an H200 it reaches 4.2 TB/s up to
256 MB and only 2.7 TB/s here, where kernels that copy reach 4.1: shares of it above 1, and the shares of large tensors,
are flattered by that much. The summary takes the fastest copy of 256 MB or more among the rows instead. The programs
now take the faster of it and a copy kernel; the next run will have that."""


def timing(suite):
    """How the times of a suite were made."""
    how = f"in turn, after {suite['busy_ms']:g} ms" if suite.get("in_turn") else "one by one, after 30 ms"
    return how + (", few replays" if suite.get("quick") else "")


def remarks(suite):
    """What a row says beside its numbers: another job, the time of a commit before in its job, an error."""
    text = ""
    for r in suite["rows"]:
        said = []
        if r.get("commit"):
            few = " with few replays" if r.get("quick") else ""
            job = f"measured at {r['commit']}, {r['date']}, in a job of its own{few}"
            said.append(job + "; its share is of the ceilings above")
        if r.get("before_us"):
            said.append(f"{number(r['before_us'])} µs at {r.get('before') or suite['before']} in the same job")
        if r.get("error") or r.get("wrong"):
            said.append(r.get("error") or r["wrong"])
        text += f"- {r['name']}: {'; '.join(said)}\n" if said else ""
    return text + "\n" if text else ""


def on_other_gpus(folder):
    """Tables of attention's masks, caches and prices that a GPU beside the page's was measured with."""
    text, here = "", os.path.normpath(folder)
    for other in sorted(glob.glob(os.path.join(os.path.dirname(here), "*"))):
        if other == here:
            continue
        for name, suite in load(other).items():
            if name not in ATTENTION:
                continue
            good = [r for r in suite["rows"] if r.get("us")]
            text += f"## {name} on {os.path.basename(other)}\n\n"
            text += f"{suite['driver']}, commit {suite['commit']}, {suite['date']}, {timing(suite)}; "
            text += f"copy {number(suite['ceilings']['copy_gbs'])} GB/s.\n"
            text += "".join(f"Peers: {k} {v}.\n" for k, v in suite["libraries"].items()) + "\n"
            text += peers_lacking(good) + peer_table(good) + promises(good) + remarks(suite)
    return text


def document(suites, folder, docs):
    gpu = os.path.basename(os.path.normpath(folder))
    first = next(iter(suites.values()))
    libraries = {k: v for s in suites.values() for k, v in s["libraries"].items()}
    rows = timed(suites)
    images = os.path.join(docs, "img")
    os.makedirs(images, exist_ok=True)
    unet = [
        r
        for r in rows
        if r.get("model") == "unet"
        and r["dtype"] == "fp16"
        and "residual" not in r["name"]
        and "silu_bias" not in r["name"]
    ]
    plot.roofline(rows, first["ceilings"], os.path.join(images, "roofline.svg"))
    plot.ratios(
        [r for r in unet], os.path.join(images, "ratios.svg"), "Best peer's time over ours, layers of a UNet step, fp16"
    )
    plot.step_by_layer(
        unet,
        os.path.join(images, "step.svg"),
        "A UNet step (batch 2, 512×512, fp16) by layer: ours, and the best peer's in grey",
    )
    text = f"""# Performance

Made by `bench/report.py` from `bench/results/{gpu}`. {first['driver']};
{', '.join(f'{k} {v}' for k, v in libraries.items())}.

A time is that of one launch. Launches over several copies of the operands, more than 128 MB together, are captured in a
CUDA graph, and the median time of its replays is divided by the number of launches. A row's graphs, ours and those of
cuDNN, cuBLASLt, CUB and the device copy, are replayed in turn in one process, and none counts until the device has been
busy for a while: a GPU that its power limits begins at clocks that it cannot keep. What PyTorch runs, "cuDNN by torch",
FA2 and "memory-efficient" too, is another process of the same job: each is timed alone, after as long a warm-up. The
table of runs says which still have times from before, when each graph was timed by itself, ours first: that took up to
7 % from our times of products and attention, and none from GroupNorm's. Every result of the libraries is compared with
ours; before that the output is overwritten, so that nothing left there passes for a result. Inputs are normally
distributed random numbers. Accumulators are fp32.

- **ratio**: the best peer's time over ours. Above 1 Inlay is faster; where it is slower, the ratio is bold. A row
  without a peer has none.
- **of ceiling**: the larger of two shares: of the bandwidth of the copy that the same run measured, and of the rate of
  its 16-bit matrix product, the better of two sizes. Both are in the table below. Rows in fp32 have no matrix ceiling:
  theirs is always the share of the copy, also where a product is bound by the matrix unit.
- **the fastest copy**, in the summary alone: the fastest among the runs' copies and the rows `elementwise/copy` that
  move 512 MB and more, ours or a peer's. So a share there can differ a little from the one in the row.
- **unfused**: the same work by more than one of our own kernels.
- **attention/base2**: a softmax of powers of two, of queries that arrive multiplied by log₂(e) / √d, as the UNet's
  projections make them. Peers compute the same, with ln 2 for a scale.

Products have packed weights, as a model has them: constants, which those of at most 8 rows, and those of which blocks
share a sum on sm_90a, start to read before the kernel before has ended. In the rows `gemv/bias_unpacked` the weights
are a plain tensor.

## Runs and their ceilings

{copies(suites)}

"""
    columns = {
        "copy_gbs": "copy, GB/s (read and write)",
        "memcpy_gbs": "of which `cudaMemcpyAsync`",
        "copy_kernel_gbs": "a kernel",
        "matmul4096_tflops": "fp16 product 4096³, TFLOP/s",
        "matmul8192_tflops": "8192³",
    }
    measured = [c for c in columns if any(c in s["ceilings"] for s in suites.values())]
    text += table(
        [
            (name, s["commit"], s["date"], timing(s), *(number(s["ceilings"].get(c)) for c in measured))
            for name, s in suites.items()
        ],
        ("program", "commit", "date", "timed", *(columns[c] for c in measured)),
    )
    text += "## Summary\n\n"
    text += table(
        [
            (
                what,
                number(v) or "not measured",
                f"≥ {wanted}",
                verdict(v, wanted),
                remark,
            )
            for what, v, wanted, remark in summary(suites)
        ],
        ("what", "measured", "wanted", "met", ""),
    )
    variants = [r for name in ATTENTION for r in suites.get(name, {"rows": []})["rows"] if r.get("us")]
    if variants:
        plot.ratios(variants, os.path.join(images, "attention.svg"), "Best peer's time over ours, attention")
        plot.prices(
            [r for r in variants if r.get("over_plain")],
            os.path.join(images, "attention_prices.svg"),
            "Causal attention with a score or a row over the plain one",
        )
        text += """Rows of attention after those of SD1.5 are named <kind>/<B>x<heads>x<key heads>x<queries>x<keys>x<d>; FLOPs of a
mask are those of the pairs of 128 queries and 128 keys that hold a visible one, and `of_causal` is their rate over that
of causal attention. Some rows of each result are compared with double; where the distance is more than rounding, the row
says so. Decode counts the bytes of the cache. Prices are times over plain causal softmax of the same operands.

"""
        text += "![attention](img/attention.svg)\n\n![prices](img/attention_prices.svg)\n\n"
    text += "![roofline](img/roofline.svg)\n\n![ratios](img/ratios.svg)\n\n![a step by layer](img/step.svg)\n\n"
    for name, suite in suites.items():
        good = [r for r in suite["rows"] if r.get("us")]
        text += f"## {name}\n\n"
        if name == "price_list":
            text += price_table(good)
        elif name == "attention_prices":
            text += attention_price_table(good)
        else:
            text += peers_lacking(good) + peer_table(good)
        if name in ATTENTION:
            text += promises(good)
        text += remarks(suite)
    covers = placements.load(folder)
    text += placements.document(covers) if covers else ""
    text += on_other_gpus(folder)
    text += f"""
## How to reproduce

```
bench/run_cuda.sh                                        # builds, measures, writes bench/results/<gpu>
bench/run_attention.sh                                   # the same for attention's scores, masks, rows and pages
python bench/report.py bench/results/{gpu} --docs docs   # this page and its charts
```
"""
    with open(os.path.join(docs, "performance.md"), "w") as f:
        f.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--docs")
    args = parser.parse_args()
    suites = load(args.dir)
    if not suites:
        parser.error(f"{args.dir} has no results")
    if args.docs:
        document(suites, args.dir, args.docs)
    for name, suite in suites.items():
        for r in suite["rows"]:
            if r.get("error") or r.get("wrong"):
                print(f"WRONG  {r['name']}: {r.get('error') or r['wrong']}")
    for what, v, wanted, remark in summary(suites):
        met = "  ?   " if v is None else "met   " if v >= wanted else "MISSED"
        print(f"{met} {number(v) or '-':>6} (wanted {wanted})  {what}" + (f"  [{remark}]" if remark else ""))


if __name__ == "__main__":
    main()
