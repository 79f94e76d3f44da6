# SPDX-License-Identifier: Apache-2.0
"""The charts of docs/performance.md, as SVG: a roofline, ratios to the best peer, prices, a step's time by layer."""

import math

INK, GRID, OURS, PEER, LOSS = "#555", "#ddd", "#2a6fb0", "#b9b9b9", "#c2543c"
HUES = {
    "conv3x3": "#2a6fb0",
    "conv1x1": "#6aa7d8",
    "linear": "#4f9d69",
    "attention": "#d99a2b",
    "group_norm": "#8e6bb0",
    "group_norm_silu": "#8e6bb0",
    "layer_norm": "#c58fc9",
}


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f'<rect width="{width}" height="{height}" fill="white"/>']
        self.text(width / 2, 22, title, 15, "middle")

    def text(self, x, y, s, size=11, anchor="start", fill=INK, over=False):
        """over: readable over lines and bars."""
        s = s.replace("&", "&amp;").replace("<", "&lt;")
        halo = ' paint-order="stroke" stroke="white" stroke-width="3"' if over else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{fill}"{halo}>{s}</text>'
        )

    def line(self, x1, y1, x2, y2, stroke=INK, width=1.0):
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" stroke-width="{width}"/>'
        )

    def box(self, x, y, w, h, fill):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(w, 0):.1f}" height="{h:.1f}" fill="{fill}"/>')

    def dot(self, x, y, fill, label):
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" fill-opacity="0.75"><title>{label}</title></circle>'
        )

    def save(self, path):
        with open(path, "w") as f:
            f.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'font-family="sans-serif">\n' + "\n".join(self.parts) + "\n</svg>\n"
            )


def kind(row):
    return row["name"].removeprefix("price/").split("/")[0]


def hue(row):
    return HUES.get(kind(row), "#777")


def legend(p, x, y, kinds):
    for i, k in enumerate(kinds):
        p.box(x, y + 16 * i - 9, 10, 10, HUES.get(k, "#777"))
        p.text(x + 15, y + 16 * i, k)


def roofline(rows, ceilings, path):
    """TFLOP/s over FLOPs per byte, both logarithmic, under the ceilings of the same run."""
    rows = [r for r in rows if r.get("tflops") and r["dtype"] != "fp32"]
    if not rows:
        return
    p = Picture(820, 460, "Roofline: 16-bit kernels and the ceilings of the same run")
    left, right, top, bottom = 60, 790, 40, 410
    peak = max(ceilings["matmul4096_tflops"], ceilings["matmul8192_tflops"])
    least = min(r["tflops"] for r in rows)
    x0, x1, y0, y1 = -1.0, 4.2, math.floor(math.log10(least)), math.log10(1.5 * max(peak, 1))
    to_x = lambda v: left + (math.log10(v) - x0) / (x1 - x0) * (right - left)
    to_y = lambda v: bottom - (math.log10(v) - y0) / (y1 - y0) * (bottom - top)
    for e in range(-1, 5):
        p.line(to_x(10**e), top, to_x(10**e), bottom, GRID)
        p.text(to_x(10**e), bottom + 16, f"{10.0**e:g}", 10, "middle")
    for e in range(y0, 3):
        p.line(left, to_y(10**e), right, to_y(10**e), GRID)
        p.text(left - 6, to_y(10**e) + 4, f"{10.0**e:g}", 10, "end")
    knee = peak / (ceilings["copy_gbs"] * 1e-3)
    p.line(to_x(0.1), to_y(1e-4 * ceilings["copy_gbs"]), to_x(knee), to_y(peak), INK, 1.5)
    p.line(to_x(knee), to_y(peak), right, to_y(peak), INK, 1.5)
    p.text(right, to_y(peak) - 6, f"{peak:.0f} TFLOP/s", 11, "end")
    for r in rows:
        p.dot(
            to_x(max(r["flops"] / r["bytes"], 0.1)),
            to_y(r["tflops"]),
            hue(r),
            f"{r['name']}: {r['tflops']:.3g} TFLOP/s",
        )
    p.text(to_x(0.3), to_y(0.5e-3 * ceilings["copy_gbs"]), f"{ceilings['copy_gbs']:.0f} GB/s", 11, "end", over=True)
    legend(p, left + 12, top + 14, sorted({kind(r) for r in rows}))
    p.text((left + right) / 2, 448, "FLOPs per byte", 12, "middle")
    p.text(14, top - 8, "TFLOP/s", 12)
    p.save(path)


def ratios(rows, path, title):
    """One bar a row: time of the best peer over ours. 1 is a draw."""
    rows = [r for r in rows if r.get("ratio")]
    if not rows:
        return
    left, step = 260, 15
    shared = f"{kind(rows[0])}/" if len({kind(r) for r in rows}) == 1 else ""  # the title says it
    p = Picture(820, 60 + step * len(rows), title)
    most = min(max(max(r["ratio"] for r in rows), 1.2), 4)
    to_x = lambda v: left + min(v, most) / most * (690 - left)
    p.line(to_x(1), 36, to_x(1), 40 + step * len(rows))
    for i, r in enumerate(rows):
        y = 40 + step * i
        p.text(left - 8, y + 10, r["name"].removeprefix(shared), 10, "end")
        p.box(left, y + 1, to_x(r["ratio"]) - left, step - 4, OURS if r["ratio"] >= 1 else LOSS)
        p.text(to_x(r["ratio"]) + 4, y + 10, f"{r['ratio']:.2f} ({r['peer']})", 9, over=True)
    p.text(to_x(1), 52 + step * len(rows), "1: a draw", 10, "middle")
    p.save(path)


def prices(rows, path, title):
    """One bar a row: its time over that of the plain kernel."""
    if not rows:
        return
    left, step = 200, 18
    p = Picture(820, 60 + step * len(rows), title)
    most = max(1.2, *(r["over_plain"] for r in rows))
    to_x = lambda v: left + v / most * (730 - left)
    p.line(to_x(1), 36, to_x(1), 40 + step * len(rows))
    for i, r in enumerate(rows):
        y = 40 + step * i
        p.text(left - 8, y + 12, r["name"].split("/")[2].replace("_", " "), 11, "end")
        p.box(left, y + 1, to_x(r["over_plain"]) - left, step - 4, OURS)
        p.text(to_x(r["over_plain"]) + 4, y + 12, f"{r['over_plain']:.2f}", 10, over=True)
    p.text(to_x(1), 54 + step * len(rows), "1: plain causal softmax", 10, "middle")
    p.save(path)


def step_by_layer(rows, path, title):
    """Count times time of each layer, ours beside the best peer's, longest first."""
    rows = sorted((r for r in rows if r.get("us") and r.get("count")), key=lambda r: -r["count"] * r["us"])[:40]
    if not rows:
        return
    left, step = 260, 22
    p = Picture(820, 60 + step * len(rows), title)
    most = max(r["count"] * max(r["us"], r.get("peer_us") or 0) for r in rows)
    to_w = lambda v: v / most * (690 - left)
    for i, r in enumerate(rows):
        y = 40 + step * i
        ours, peer = r["count"] * r["us"], r["count"] * (r.get("peer_us") or 0)
        p.text(left - 8, y + 13, f"{r['count']:g} × {r['name']}", 10, "end")
        p.box(left, y + 1, to_w(ours), 9, hue(r))
        p.box(left, y + 10, to_w(peer), 7, PEER)
        label = f"{ours:.0f} µs" + (f", peer {peer:.0f}" if peer else "")
        p.text(left + max(to_w(ours), to_w(peer)) + 4, y + 13, label, 9)
    p.save(path)
