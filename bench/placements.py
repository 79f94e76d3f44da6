# SPDX-License-Identifier: Apache-2.0
"""The planner's ranking of placements against measured times: rows of cuda_placements_*.

python bench/placements.py DIR [DIR...]     # prints the statistics of each folder of results, and what is ranked wrong
"""

import json
import os
import sys

SUITES = tuple(f"placements_{family}" for family in ("resnet", "images", "attention", "text", "rows"))
CLOSE, WRONG = 1.05, 1.10
WANTED_RANKS, WANTED_CLOSE, WANTED_PAIRS = 0.9, 36 / 40, 40


def ranks(values):
    """The rank of each value from 1 on; equal ones share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in range(first, last + 1):
            result[order[i]] = (first + last) / 2 + 1
        first = last + 1
    return result


def spearman(a, b):
    """Correlation of ranks; None where one of the two does not vary."""
    x, y = ranks(a), ranks(b)
    n = len(x)
    mean = (n + 1) / 2
    xy = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    xx = sum((p - mean) ** 2 for p in x)
    yy = sum((q - mean) ** 2 for q in y)
    return xy / (xx * yy) ** 0.5 if xx and yy else None


def pairs(rows):
    """Placements of each layer and shape, in the order of the rows."""
    found = {}
    for r in rows:
        if r.get("us"):
            found.setdefault((r["layer"], r["shape"]), []).append(r)
    return found


def chosen(placements):
    return min(placements, key=lambda r: r["predicted_us"])


def best(placements):
    return min(placements, key=lambda r: r["us"])


def misranked(placements):
    """Each two placements of which the one with the lower price takes over a tenth longer; the worst first."""
    found = []
    for cheap in placements:
        for dear in placements:
            if cheap["predicted_us"] < dear["predicted_us"] and cheap["us"] > WRONG * dear["us"]:
                found.append((cheap, dear))
    return sorted(found, key=lambda two: two[1]["us"] / two[0]["us"])


def statistics(rows):
    """Numbers of all pairs. `relative`: predicted and measured times over those of the pair's chosen placement, which
    says how far the ranking within pairs holds, whatever their sizes."""
    all_pairs = pairs(rows)
    times = [r for p in all_pairs.values() for r in p]
    over = lambda key: [r[key] / chosen(p)[key] for p in all_pairs.values() for r in p if r is not chosen(p)]
    within = [spearman([r["predicted_us"] for r in p], [r["us"] for r in p]) for p in all_pairs.values() if len(p) > 1]
    within = [rho for rho in within if rho is not None]
    close = [key for key, p in all_pairs.items() if chosen(p)["us"] <= CLOSE * best(p)["us"]]
    return {
        "pairs": len(all_pairs),
        "placements": len(times),
        "spearman": spearman([r["predicted_us"] for r in times], [r["us"] for r in times]) if times else None,
        "relative": spearman(over("predicted_us"), over("us")) if times else None,
        "within": sum(within) / len(within) if within else None,
        "close": len(close),
        "misranked": [two for p in all_pairs.values() for two in misranked(p)],
    }


def load(folder):
    """Suites of placements in a folder of results, by name."""
    suites = {}
    for name in SUITES:
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path) as f:
                suites[name] = json.load(f)
    return suites


def table(rows, columns):
    text = "| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns) + "\n"
    return text + "".join("| " + " | ".join(str(c) for c in row) + " |\n" for row in rows) + "\n"


def summary_table(rows):
    s = statistics(rows)
    number = lambda v: "not measured" if v is None else f"{v:.3f}"
    met = lambda ok: "yes" if ok else "**no**"
    share = s["close"] / s["pairs"] if s["pairs"] else 0
    body = [
        ("layers and shapes", s["pairs"], f"≥ {WANTED_PAIRS}", met(s["pairs"] >= WANTED_PAIRS)),
        (
            "Spearman's correlation of prices and times, all placements",
            number(s["spearman"]),
            f"≥ {WANTED_RANKS}",
            met((s["spearman"] or 0) >= WANTED_RANKS),
        ),
        ("the same of times over that of the chosen placement", number(s["relative"]), "", ""),
        ("the same within a layer and shape, mean", number(s["within"]), "", ""),
        (
            "chosen placement within 5 % of the best measured",
            f"{s['close']} of {s['pairs']}",
            "≥ 36 of 40",
            met(s["pairs"] and share >= WANTED_CLOSE),
        ),
        ("two placements ranked wrong by over 10 %", len(s["misranked"]), "", ""),
    ]
    return table(body, ("what", "measured", "wanted", "met"))


def misranked_table(rows):
    body = [
        (
            a["layer"],
            a["shape"],
            f"{a['placement']}, {a['predicted_us']:.1f}",
            f"{b['placement']}, {b['predicted_us']:.1f}",
            f"{a['us']:.1f}",
            f"{b['us']:.1f}",
            f"{100 * (a['us'] / b['us'] - 1):.0f} %",
        )
        for a, b in statistics(rows)["misranked"]
    ]
    columns = ("layer", "shape", "cheaper by its price, µs", "dearer, µs", "measured, µs", "and", "off by")
    return table(body, columns) if body else "None is ranked wrong by over 10 %.\n\n"


def placements_table(rows):
    body = []
    for (layer, shape), p in pairs(rows).items():
        for r in p:
            marks = [m for m, of in (("chosen", chosen(p)), ("fastest", best(p))) if r is of]
            body.append(
                (
                    layer,
                    shape,
                    r["placement"],
                    r["kernels"],
                    f"{r['predicted_us']:.1f}",
                    f"{r['us']:.1f}",
                    ", ".join(marks),
                )
            )
    return table(body, ("layer", "shape", "placement", "kernels", "price, µs", "measured, µs", ""))


def document(suites):
    """A section of docs/performance.md."""
    rows = [r for suite in suites.values() for r in suite["rows"]]
    runs = sorted({(s["commit"], s["date"], s["driver"]) for s in suites.values()})
    text = "## placements\n\n"
    text += "".join(f"{driver}, commit {commit}, {date}.\n" for commit, date, driver in runs)
    text += """
Layers by several covers of kernels, each timed whole in a CUDA graph over copies of its weights and inputs, more than
128 MB together, beside the price by which the [planner](planner.md#prices) ranks it. The chosen placement is the one of
the least price. Only times over that of the chosen placement, and correlations within a layer, say whether the planner
chooses well: times of small and large layers correlate by themselves.

"""
    text += summary_table(rows) + "Ranked wrong by over 10 %:\n\n" + misranked_table(rows) + placements_table(rows)
    failed = [r for r in rows if r.get("error")]
    return text + "".join(f"- {r['name']}: {r['error']}\n" for r in failed)


def main(folders):
    if not folders or folders[0].startswith("-"):
        print(__doc__)
        return 0 if folders else 2
    for folder in folders:
        suites = load(folder)
        if not suites:
            print(f"{folder} has no results of cuda_placements_*", file=sys.stderr)
            return 1
        print(document(suites))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
