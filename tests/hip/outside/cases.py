# SPDX-License-Identifier: Apache-2.0
"""Cases of the outside check and the numbers that NumPy expects: a function each returns why it fails, or nothing."""
import ctypes
import functools

import numpy as np


def at(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def differs(got, expected, bound=0.0):
    """A sentence about the element that is furthest off, more than `bound` of the largest; '' where none is."""
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    error = np.where(got == expected, 0, np.abs(got - expected))
    error[np.isnan(got) & np.isnan(expected)] = 0
    worst = np.unravel_index(np.argmax(np.nan_to_num(error, nan=np.inf)), error.shape)
    limit = bound * np.max(np.abs(expected[np.isfinite(expected)]), initial=0)
    if error[worst] <= limit:
        return ''
    return f'at {tuple(map(int, worst))}: {got[worst]:.8g}, not {expected[worst]:.8g}'


def lanes(lib, wave):
    threads, by, away = 128, 13, 3
    random = np.random.default_rng(1)
    x = (random.permutation(threads) + 1000).astype(np.int32)
    out = np.zeros((threads, 32), np.int32)
    lib.lanes(at(out), at(x), by, away)
    i = np.arange(threads)
    lane, first = i % wave, i // wave * wave
    expected = [lane, i // wave, *(x[i ^ b] for b in (1, 2, 4, 8, 16)), x[i ^ 32] if wave == 64 else x, x[i ^ by],
                x[first + 5], x[first + (lane + away) % wave], x[first],
                x[i ^ 4].astype(np.float32).view(np.int32), i ^ 16, x[i ^ 16]]
    other = first + lane * 3 % wave
    expected += [x[other], np.full(threads, 1), np.full(threads, 2), other, x[i ^ 8]]
    waves = x.reshape(-1, wave)
    expected += [np.repeat(v, wave) for v in ((waves == away).any(1), (waves >= away).all(1), waves.min(1),
                                              np.bitwise_or.reduce(waves, 1))]
    expected += [np.ones(threads), np.ones(threads)]
    return differs(out[:, :len(expected)], np.stack(expected, 1))


def chunks(lib, wave):
    threads = 128
    i = np.arange(threads)
    x = np.random.default_rng(2).integers(1, 1 << 32, (threads, 4), np.uint32)
    size = (i * 7 % 17).astype(np.int32)
    out = np.zeros((5, threads, 4), np.uint32)
    lib.chunks(at(out), at(x), at(size))
    first = x.view(np.uint8).reshape(threads, 16).copy()
    first[np.arange(16) >= size[:, None]] = 0
    first = first.view(np.uint32).reshape(threads, 4)
    expected = np.stack([np.where(i[:, None] % 3 == 0, 9, first), first, first,
                         (8 * i[:, None] + np.arange(8)).astype(np.uint16).view(np.uint32).reshape(threads, 4), x])
    expected[2, :, 3] = i
    expected = expected[:, i ^ 65]
    expected[4, 1::2] = 0
    return differs(out, expected)


def counters(lib, wave):
    n = 384
    sums, old, words = np.zeros(2 + n, np.uint32), np.zeros((2, n), np.uint32), np.arange(n, dtype=np.uint64)
    lib.counters(at(sums), at(old), at(words), n // 128)
    i = np.arange(n)
    return (differs(sums, [3 * n, n % 10, *np.ones(n)]) or differs(np.sort(old[0]), 3 * i) or
            differs(np.sort(old[1]), np.sort(i % 10)) or differs(words, i + 2.0 ** 40))


def conversions(lib, wave):
    n = 65536
    with np.errstate(all='ignore'):
        bits = np.random.default_rng(3).integers(0, 1 << 32, 2 * n, np.uint32)
        bits[:n] = np.arange(n) * 65536 + 32768     # halfway between two bf16
        x = bits.view(np.float32)
        # The emulator takes denormals for zeros where the hardware does not.
        x[(np.abs(x) < 2e-38) | np.isnan(x)] = 0.15625
        halves, pairs, functions = np.zeros(n, np.float32), np.zeros((n, 4), np.uint32), np.zeros((n, 3), np.float32)
        lib.conversions(at(halves), at(pairs), at(functions), at(x))
        a, b = x[::2], x[1::2]
        half = lambda v: v.astype(np.float16).view(np.uint16).astype(np.uint32)
        brain = lambda v: ((v.view(np.uint32) + 0x7fff + (v.view(np.uint32) >> 16 & 1)) >> 16).astype(np.uint32)
        product = a.view(np.uint32).astype(np.uint64) * b.view(np.uint32) >> 32
        expected = np.stack([half(a) | half(b) << 16, brain(a) | brain(b) << 16, half(a) | brain(b) << 16, product], 1)
        good = (a > 1e-30) & (a < 100)
        a = a[good].astype(np.float64)
        ratios = [functions[good, i] / e for i, e in enumerate((2 ** a, 1 / a, 1 / np.sqrt(a)))]
        return (differs(halves, np.arange(n, dtype=np.uint16).view(np.float16)) or differs(pairs, expected) or
                next(filter(None, (differs(r, np.ones_like(r), 1e-6) for r in ratios)), ''))


def stored(x, dtype):
    """x, which the type holds exactly, as it is stored."""
    if dtype == 'bf16':
        return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return x.astype({'f16': np.float16, 'f32': np.float32}[dtype])


def atom(name, lib, wave):
    """Sums of small integers are exact, so that each element of C is another number that is known."""
    m, dtype = int(name.split('_')[-2].split('x')[0]), name.split('_')[-1]
    unit = name.split('_')[-3]
    k = {'mfma': 512 // m, 'wmma': 16}[unit] // (2 if dtype == 'f32' else 1)
    random = np.random.default_rng(4)
    a, b = (random.integers(-60, 60, (m, k)) for _ in range(2))
    out, greatest = np.full((m, m), np.nan, np.float32), np.full(wave, np.nan, np.float32)
    getattr(lib, name)(at(out), at(greatest), at(stored(a, dtype)), at(stored(b, dtype)))
    expected = a @ (2 * b + b[::-1]).T
    row = np.arange(wave) % m
    columns = {'mfma': range(0, m, 4)[:wave // m], 'wmma': (0, 4)}[unit]
    return differs(out, expected) or differs(greatest, expected[:, columns].max(1)[row])


def loaded(x, dtype):
    """The numbers that are stored."""
    return (x.astype(np.uint32) << 16).view(np.float32) if dtype == 'bf16' else x.astype(np.float64)


class Frame:
    """Tensors of a case in one dtype, the first of them the result, and how far it may be off."""
    bounds = {'f16': 1e-3, 'bf16': 8e-3, 'f32': 1e-5}

    def __init__(self, name, dtype, seed):
        self.name, self.dtype, self.random = name, dtype, np.random.default_rng(seed)

    def some(self, *shape):
        """Random numbers that the type holds exactly, and a tensor of them."""
        x = np.round(self.random.uniform(-2, 2, shape) * 64) / 64
        memory = stored(x, self.dtype)
        return x, memory

    def differs(self, lib, expected, memories, numbers):
        result = np.full(expected.shape, np.nan, np.float32)
        result = stored(result, self.dtype)
        if not getattr(lib, self.name)(at(result), *map(at, memories), *numbers):
            return 'the frame throws'
        return differs(loaded(result, self.dtype), expected, self.bounds[self.dtype])


def silu(x):
    return x / (1 + np.exp(-x))


def map_of(name, dtype, lib, wave):
    f, m, n = Frame(name, dtype, 5), 37, 70
    (x, xs), (z, zs) = f.some(m, n), f.some(n, m)
    return f.differs(lib, silu(x + z.T), (xs, zs), (m, n))


def softmax(name, dtype, lib, wave):
    f, m, n = Frame(name, dtype, 6), 5, 333
    x, xs = f.some(m, n)
    e = np.exp(x - x.max(1, keepdims=True))
    return f.differs(lib, e / e.sum(1, keepdims=True), (xs,), (m, n))


def layer_norm(name, dtype, lib, wave):
    f, m, n = Frame(name, dtype, 7), 6, 320
    (x, xs), (gamma, gammas), (beta, betas) = f.some(m, n), f.some(n), f.some(n)
    centred = x - x.mean(1, keepdims=True)
    return f.differs(lib, centred / np.sqrt((centred ** 2).mean(1, keepdims=True) + 1e-5) * gamma + beta,
                     (xs, gammas, betas), (m, n))


def reduced(name, dtype, lib, wave):
    f, m, n = Frame(name, dtype, 8), 70, 136
    x, xs = f.some(m, n)
    expected = x.sum(0, keepdims=True) if name == 'reduce_columns' else x.max(1, keepdims=True)
    return f.differs(lib, expected, (xs,), (m, n))


def group_norm(name, dtype, lib, wave):
    f, shape = Frame(name, dtype, 9), (1, 5, 6, 64)
    (x, xs), (gamma, gammas), (beta, betas) = f.some(*shape), f.some(64), f.some(64)
    groups = x.reshape(1, 30, 4, 16)
    centred = groups - groups.mean((1, 3), keepdims=True)
    y = (centred / np.sqrt((centred ** 2).mean((1, 3), keepdims=True) + 1e-5)).reshape(shape) * gamma + beta
    lib.outside_units(1)    # blocks that meet would wait for ever: the emulator runs one after another
    why = f.differs(lib, silu(y), (xs, gammas, betas), shape)
    lib.outside_units(4)
    return why


def linear(name, dtype, lib, wave):
    f, m, n, k = Frame(name, dtype, 10), 40, 48, 72
    (w, ws), (x, xs), (bias, biases), (residual, residuals) = f.some(n, k), f.some(m, k), f.some(n), f.some(m, n)
    return f.differs(lib, x @ w.T + bias + residual, (ws, xs, biases, residuals), (m, n, k))


def conv(name, dtype, lib, wave):
    f, (n, h, width, c), out = Frame(name, dtype, 11), (1, 5, 6, 24), 40
    (w, ws), (x, xs), (bias, biases) = f.some(out, 3, 3, c), f.some(n, h, width, c), f.some(out)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    y = sum(padded[:, i:i + h, j:j + width] @ w[:, i, j].T for i in range(3) for j in range(3))
    return f.differs(lib, silu(y + bias), (ws, xs, biases), (n, h, width, c, out))


def attention(name, dtype, lib, wave):
    causal = name == 'attention_causal'
    f, h, queries, keys, d = Frame(name, dtype, 12), 2, 21, 37, 64 if causal else 40
    (q, qs), (k, ks), (v, vs) = f.some(h, queries, d), f.some(h, keys, d), f.some(h, keys, d)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(d)
    if causal:
        scores[:, np.arange(queries)[:, None] + keys - queries < np.arange(keys)] = -np.inf
    e = np.exp(scores - scores.max(2, keepdims=True))
    return f.differs(lib, e / e.sum(2, keepdims=True) @ v, (qs, ks, vs), (h, queries, keys))


frames = {'map': (map_of, 'f16'), 'map_f32': (map_of, 'f32'), 'softmax': (softmax, 'f16'),
          'layer_norm': (layer_norm, 'bf16'), 'reduce_columns': (reduced, 'f16'), 'reduce_rows': (reduced, 'f16'),
          'group_norm': (group_norm, 'f16'), 'linear': (linear, 'f16'), 'linear_bf16': (linear, 'bf16'),
          'linear_f32': (linear, 'f32'), 'conv': (conv, 'f16'), 'attention': (attention, 'f16'),
          'attention_causal': (attention, 'f16')}


def all_cases(arch):
    wave = 64 if arch.startswith('gfx9') else 32
    cases = {case.__name__: case for case in (lanes, chunks, counters, conversions)}
    atoms = {'gfx942': ('mfma_16x16_f16', 'mfma_16x16_bf16', 'mfma_16x16_f32', 'mfma_32x32_f16', 'mfma_32x32_bf16',
                        'wrong_mfma_32x32_f16', 'wrong_mfma_16x16_f16'),
             'gfx1100': ('wmma_16x16_f16', 'wmma_16x16_bf16', 'wmma_16x16_f32', 'wrong_wmma_16x16_f16')}[arch]
    cases.update({name: functools.partial(atom, name) for name in atoms})
    cases.update({name: functools.partial(f, name, dtype) for name, (f, dtype) in frames.items()})
    return {name: lambda lib, case=case: case(lib, wave) for name, case in cases.items()}
