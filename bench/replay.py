# SPDX-License-Identifier: Apache-2.0
"""Times GPU work of PyTorch as the programs of bench/cuda time theirs, but alone: another process cannot take turns."""

import torch

REPLAYS = 9
SETTLED_MS = 200  # the device is busy for so long before a time counts, as in bench/cuda/replay.hpp, which says why


def microseconds(graph, launches):
    """Median time of one launch, over replays of a captured graph of several."""
    times, busy = [], 0
    while len(times) < REPLAYS:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        ms = begin.elapsed_time(end)
        if busy >= SETTLED_MS:
            times.append(ms)
        busy += ms
    return 1e3 * sorted(times)[REPLAYS // 2] / launches
