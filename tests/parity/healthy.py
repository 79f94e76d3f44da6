# SPDX-License-Identifier: Apache-2.0
"""Random weights that keep a Stable Diffusion pipeline numerically healthy.

Every parameter is random, biases and norm scales included, so that a loader which swaps or drops any tensor shows.
Linear and convolution weights have std gain / sqrt(fan_in): a gain of sqrt(1 / E[silu(x)^2]) = 1.68 behind a SiLU
keeps unit variance (the predicted noise is near N(0, 1)), branches that join a residual stream add about half of it,
and attention logits have std near 2, so that the softmax is neither flat nor one-hot. A tensor's values depend on the
seed and its name alone, not on the order of creation.
"""

import math
import re
import zlib

import torch

# First match wins; the gain of a weight that no rule names is 1.
GAINS = [
    (r"time_embedding\.linear_1\.", 1.41),  # behind sin and cos: mean square 1/2
    (r"time_embedding\.linear_2\.", 1.68),
    (r"time_emb_proj\.", 0.84),
    (r"resnets\.\d+\.conv1\.", 1.68),
    (r"resnets\.\d+\.conv2\.", 1.2),
    (r"conv_out\.", 1.68),
    (r"(to_q|to_k|q_proj|k_proj)\.", 1.5),
    (r"ff\.net\.2\.", 1.2),
    (r"mlp\.fc2\.", 1.2),
    (r"proj_out\.", 0.8),
    (r"token_embedding\.", 0.5),
    (r"position_embedding\.", 0.25),
]


def gain(name: str) -> float:
    return next((g for pattern, g in GAINS if re.search(pattern, name)), 1.0)


@torch.no_grad()
def fill(model: torch.nn.Module, seed: int, image_gain: float = 1.0) -> None:
    """Overwrites every parameter of `model`. `image_gain` scales the last convolution (a VAE's image range)."""
    norms = {
        name
        for name, module in model.named_modules()
        if isinstance(module, (torch.nn.GroupNorm, torch.nn.LayerNorm))
    }
    for name, p in model.named_parameters():
        generator = torch.Generator().manual_seed(seed * 1_000_003 + zlib.crc32(name.encode()))
        value = torch.randn(p.shape, generator=generator)
        owner = name.rpartition(".")[0]
        if owner in norms:
            p.copy_(1 + 0.2 * value if name.endswith(".weight") else 0.2 * value)
        elif "embedding." in name and p.ndim == 2 and "time_embedding" not in name:
            p.copy_(gain(name) * value)
        elif p.ndim == 1:
            p.copy_(0.1 * value)
        else:
            scale = gain(name) / math.sqrt(p[0].numel())
            p.copy_(scale * (image_gain if name.endswith("decoder.conv_out.weight") else 1.0) * value)
