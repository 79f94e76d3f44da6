# SPDX-License-Identifier: Apache-2.0
"""Times GPU work of PyTorch as the programs of bench/cuda time theirs."""

import torch

REPLAYS = 9


def microseconds(graph, launches):
    """Median time of one launch, over replays of a captured graph of several."""
    times = []
    for _ in range(REPLAYS + 1):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return 1e3 * sorted(times[1:])[REPLAYS // 2] / launches
