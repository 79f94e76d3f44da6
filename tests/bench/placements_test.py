# SPDX-License-Identifier: Apache-2.0
"""Statistics of placements against numbers that are counted by hand."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bench"))
import placements


def row(layer, placement, predicted, us):
    return {
        "name": f"placement/{layer}/8/{placement}",
        "layer": layer,
        "shape": "8",
        "placement": placement,
        "kernels": 2,
        "predicted_us": predicted,
        "us": us,
    }


class Ranks(unittest.TestCase):
    def test_equal_values_share_their_ranks(self):
        self.assertEqual(placements.ranks([3, 1, 3, 2]), [3.5, 1, 3.5, 2])

    def test_correlation(self):
        # Without ties: 1 − 6 Σ d² / (n (n² − 1)); here d = 1, −1, 0, 1, −1.
        self.assertAlmostEqual(placements.spearman([10, 20, 30, 40, 50], [2, 1, 3, 6, 4.5]), 1 - 6 * 4 / 120)
        # Ranks 1.5, 1.5, 3 and 1, 2, 3: covariance 1.5, variances 1.5 and 2.
        self.assertAlmostEqual(placements.spearman([4, 4, 5], [1, 2, 3]), 1.5 / 3**0.5)
        self.assertEqual(placements.spearman([1, 2, 3], [5, 7, 9]), 1)
        self.assertEqual(placements.spearman([1, 2, 3], [9, 7, 5]), -1)
        self.assertIsNone(placements.spearman([1, 1], [1, 2]))


class Pairs(unittest.TestCase):
    rows = [
        row("a", "planned", 10, 20),
        row("a", "apart", 12, 19.5),
        row("a", "worse", 14, 30),
        row("b", "planned", 10, 22),
        row("b", "apart", 11, 20),
        row("c", "planned", 5, 12),
        row("c", "apart", 6, 10),
        {"name": "placement/d/8", "error": "no kernel"},
    ]

    def test_chosen_placements_within_a_twentieth_of_the_best(self):
        s = placements.statistics(self.rows)
        self.assertEqual((s["pairs"], s["placements"]), (3, 7))
        # 20 / 19.5 is within 5 %, 22 / 20 and 12 / 10 are not.
        self.assertEqual(s["close"], 1)

    def test_what_is_ranked_wrong_by_over_a_tenth(self):
        # 22 / 20 is a tenth and no more.
        found = [(a["layer"], a["placement"], b["placement"]) for a, b in placements.statistics(self.rows)["misranked"]]
        self.assertEqual(found, [("c", "planned", "apart")])

    def test_correlations(self):
        s = placements.statistics(self.rows)
        # Ranks of a: 1, 2, 3 and 2, 1, 3, so 1 − 6 · 2 / 24; of b and c −1 each.
        self.assertAlmostEqual(s["within"], (0.5 - 1 - 1) / 3)
        # Over the chosen ones: 1.2, 1.4, 1.1, 1.2 and 0.975, 1.5, 0.909, 0.833.
        self.assertAlmostEqual(s["relative"], placements.spearman([2.5, 4, 1, 2.5], [3, 4, 2, 1]))

    def test_the_document_names_rows_that_failed(self):
        suite = {"commit": "x", "date": "2026-01-01", "driver": "none", "rows": self.rows}
        text = placements.document({"placements_rows": suite})
        self.assertIn("| chosen placement within 5 % of the best measured | 1 of 3 | ≥ 36 of 40 | **no** |", text)
        self.assertIn("- placement/d/8: no kernel\n", text)
        self.assertIn("| c | 8 | planned, 5.0 | apart, 6.0 | 12.0 | 10.0 | 20 % |", text)


if __name__ == "__main__":
    unittest.main()
