# SPDX-License-Identifier: Apache-2.0
"""Prints the layers of Stable Diffusion 1.5 at 512x512 with guidance: one row for each shape, with how often it runs.

    python bench/sd15_shapes.py >bench/sd15_shapes.csv
    python bench/sd15_shapes.py --batch 1         # without guidance: of one image
    python bench/sd15_shapes.py --check FILE      # compares linear, conv and attn rows with another table

Counts are of one UNet step and one CLIP run (batch 2 or as given) and one VAE decode (batch 1). A layer is counted as
diffusers runs it, without the work Inlay saves. `key`: of a convolution height;width;in;out;stride, height and width of
the input; of attention batch;heads;queries;keys;dim; of a norm batch;rows;channels. A linear layer has M, N and K
beside it.
"""

import argparse
import collections
import csv
import sys

rows = collections.Counter()


def add(model, kind, key, m="", n="", k="", times=1):
    rows[model, kind, ";".join(map(str, key)), m, n, k] += times


def linear(model, m, n, k, times=1):
    add(model, "linear", (m, n), m, n, k, times)


def conv(model, batch, size, cin, cout, taps=3, stride=1):
    out = size // stride
    add(model, f"conv{taps}x{taps}", (size, size, cin, cout, stride), batch * out * out, cout, cin * taps * taps)


def group_norm(model, batch, size, channels, silu):
    add(model, "group_norm_silu" if silu else "group_norm", (batch, size * size, channels))


def attention(model, batch, heads, queries, keys, dim):
    add(model, "attn", (batch, heads, queries, keys, dim))


def resnet(model, batch, size, cin, cout, time=True):
    group_norm(model, batch, size, cin, True)
    conv(model, batch, size, cin, cout)
    if time:
        linear(model, batch, cout, 1280)
    group_norm(model, batch, size, cout, True)
    conv(model, batch, size, cout, cout)
    if cin != cout:
        conv(model, batch, size, cin, cout, taps=1)


def transformer(size, c, batch, heads=8, text=77, text_width=768):
    m = batch * size * size
    group_norm("unet", batch, size, c, False)
    conv("unet", batch, size, c, c, taps=1)
    add("unet", "layer_norm", (1, m, c), times=3)
    linear("unet", m, c, c, 6)  # self q, k, v, out; cross q, out
    linear("unet", batch * text, c, text_width, 2)
    attention("unet", batch, heads, size * size, size * size, c // heads)
    attention("unet", batch, heads, size * size, text, c // heads)
    linear("unet", m, 8 * c, c)
    linear("unet", m, c, 4 * c)
    conv("unet", batch, size, c, c, taps=1)


def unet(batch):
    linear("unet", batch, 1280, 320)
    linear("unet", batch, 1280, 1280)
    conv("unet", batch, 64, 4, 320)
    cin = 320
    for level, (size, c) in enumerate(((64, 320), (32, 640), (16, 1280), (8, 1280))):
        for _ in range(2):
            resnet("unet", batch, size, cin, c)
            cin = c
            if level < 3:
                transformer(size, c, batch)
        if level < 3:
            conv("unet", batch, size, c, c, stride=2)
    resnet("unet", batch, 8, 1280, 1280)
    transformer(8, 1280, batch)
    resnet("unet", batch, 8, 1280, 1280)
    ups = (
        (8, 1280, (2560, 2560, 2560)),
        (16, 1280, (2560, 2560, 1920)),
        (32, 640, (1920, 1280, 960)),
        (64, 320, (960, 640, 640)),
    )
    for level, (size, c, inputs) in enumerate(ups):
        for cin in inputs:
            resnet("unet", batch, size, cin, c)
            if level > 0:
                transformer(size, c, batch)
        if level < 3:
            conv("unet", batch, 2 * size, c, c)
    group_norm("unet", batch, 64, 320, True)
    conv("unet", batch, 64, 320, 4)


def vae():
    conv("vae", 1, 64, 4, 4, taps=1)
    conv("vae", 1, 64, 4, 512)
    for _ in range(2):
        resnet("vae", 1, 64, 512, 512, time=False)
    group_norm("vae", 1, 64, 512, False)
    linear("vae", 4096, 512, 512, 4)
    attention("vae", 1, 1, 4096, 4096, 512)
    cin = 512
    for level, (size, c) in enumerate(((64, 512), (128, 512), (256, 256), (512, 128))):
        for _ in range(3):
            resnet("vae", 1, size, cin, c, time=False)
            cin = c
        if level < 3:
            conv("vae", 1, 2 * size, c, c)
    group_norm("vae", 1, 512, 128, True)
    conv("vae", 1, 512, 128, 3)


def clip(batch, width=768, layers=12):
    m = 77 * batch
    linear("clip", m, width, width, 4 * layers)
    linear("clip", m, 4 * width, width, layers)
    linear("clip", m, width, 4 * width, layers)
    for _ in range(layers):
        attention("clip", batch, 12, 77, 77, 64)
    add("clip", "layer_norm", (1, m, width), times=2 * layers + 1)


def work(model, kind, key, m, n, k):
    """What identifies a layer in either table."""
    return (model, kind, key if kind == "attn" or kind.startswith("conv") else "", str(m), str(n), str(k))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="FILE")
    parser.add_argument("--batch", type=int, default=2, metavar="N")
    args = parser.parse_args()
    unet(args.batch)
    vae()
    clip(args.batch)
    if not args.check:
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow(("model", "kind", "key", "count", "M", "N", "K"))
        for (model, kind, key, m, n, k), count in rows.items():
            out.writerow((model, kind, key, count, m, n, k))
        return
    ours = {work(*key): count for key, count in rows.items() if "norm" not in key[1]}
    with open(args.check) as f:
        theirs = {
            work(r["model"], r["kind"], r["key"], r["M"], r["N"], r["K"]): int(r["count"]) for r in csv.DictReader(f)
        }
    differ = sorted(set(ours.items()) ^ set(theirs.items()))
    for row in differ:
        print(*row)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
