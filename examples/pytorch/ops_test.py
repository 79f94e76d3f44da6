# SPDX-License-Identifier: Apache-2.0
"""The ops against PyTorch's own in float64: types, strides, sizes, torch.compile, autocast and errors.

ops_test.py [LIBRARY] [unittest's arguments]: a library that CMake built; else inlay_ops.py builds one."""
import math
import sys
import threading
import unittest

import torch
import torch.nn.functional as F

if len(sys.argv) > 1 and sys.argv[1].endswith(".so"):
    torch.ops.load_library(sys.argv.pop(1))
else:
    import inlay_ops  # noqa: F401
ops = torch.ops.inlay_ops

DEVICES = ["cpu"] + ["cuda"] * (torch.cuda.is_available() and torch._C._dispatch_has_kernel_for_dispatch_key(
    "inlay_ops::geglu_linear", "CUDA"))
# Of the greatest value: storage rounds to 24, 11 and 8 bits.
TOLERANCE = {torch.float32: 2e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}


def random(*shape, seed=0, dtype=torch.float32, device="cpu"):
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=generator).to(device, dtype)


def geglu_linear(x, weight, bias, residual):
    hidden, gate = x.chunk(2, dim=-1)
    return F.linear(hidden * F.gelu(gate), weight, bias) + residual


def conv_silu_residual(x, weight, bias, residual):
    return F.conv2d(F.silu(x), weight, bias, padding=1) + residual


def softcap_attention(q, k, v, cap, window):
    k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for t in (k, v))
    scores = cap * torch.tanh(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) / cap)
    i = torch.arange(q.shape[2], device=q.device)[:, None] + k.shape[2] - q.shape[2]
    j = torch.arange(k.shape[2], device=q.device)
    scores = scores.masked_fill((j > i) | (i - j >= window), -math.inf)
    return torch.softmax(scores, dim=-1) @ v


def geglu_arguments(dtype=torch.float32, device="cpu", batch=2, rows=7, k=48, n=40):
    make = lambda *shape, seed: random(*shape, seed=seed, dtype=dtype, device=device)
    return (make(batch, rows, 2 * k, seed=1), make(n, k, seed=2) / k**0.5, make(n, seed=3),
            make(batch, rows, n, seed=4))


def conv_arguments(dtype=torch.float32, device="cpu", batch=2, c=16, o=24, h=9, w=7):
    make = lambda *shape, seed: random(*shape, seed=seed, dtype=dtype, device=device)
    return (make(batch, c, h, w, seed=1), make(o, c, 3, 3, seed=2) / (9 * c) ** 0.5, make(o, seed=3),
            make(batch, o, h, w, seed=4))


def attention_arguments(dtype=torch.float32, device="cpu", batch=2, heads=4, key_heads=2, queries=33, keys=50, d=64,
                        cap=20.0, window=16):
    make = lambda *shape, seed: random(*shape, seed=seed, dtype=dtype, device=device)
    return (make(batch, heads, queries, d, seed=1) * 3, make(batch, key_heads, keys, d, seed=2),
            make(batch, key_heads, keys, d, seed=3), cap, window)


OPS = [(ops.geglu_linear, geglu_linear, geglu_arguments), (ops.conv_silu_residual, conv_silu_residual, conv_arguments),
       (ops.softcap_attention, softcap_attention, attention_arguments)]
RAGGED = {ops.geglu_linear: [dict(batch=1, rows=1, k=1, n=1), dict(rows=130, k=65, n=33), dict(rows=0)],
          ops.conv_silu_residual: [dict(batch=1, c=1, o=1, h=1, w=1), dict(c=5, o=3, h=17, w=33), dict(batch=0)],
          ops.softcap_attention: [dict(batch=1, heads=1, key_heads=1, queries=1, keys=1), dict(d=128, window=1),
                                  dict(queries=70, keys=71, window=1000), dict(queries=0)]}


def strided(t):
    """The same values with gaps between them, and the axes in another order in memory."""
    if not isinstance(t, torch.Tensor):
        return t
    wide = torch.full([2 * n + 1 for n in reversed(t.shape)], math.nan, dtype=t.dtype, device=t.device)
    view = wide.permute(*reversed(range(t.dim())))[tuple(slice(1, 2 * n + 1, 2) for n in t.shape)]
    return view.copy_(t)


class Checks:
    def check(self, op, exact, arguments, got=None, dtype=None):
        got = op(*arguments) if got is None else got
        wanted = exact(*(a.double() if isinstance(a, torch.Tensor) else a for a in arguments))
        self.assertEqual(got.shape, wanted.shape)
        self.assertEqual(got.dtype, dtype or arguments[0].dtype)
        if wanted.numel():
            error = (got.double() - wanted).abs().max() / wanted.abs().max()
            self.assertLessEqual(error.item(), TOLERANCE[got.dtype], f"{op} of {[a.shape for a in arguments[:3]]}")


class Ops(Checks, unittest.TestCase):
    def each(self):
        for device in DEVICES:
            for dtype in TOLERANCE:
                for op, exact, make in OPS:
                    yield op, exact, make(dtype=dtype, device=device)

    def test_values(self):
        for op, exact, arguments in self.each():
            self.check(op, exact, arguments)

    def test_strides(self):
        for op, exact, arguments in self.each():
            apart = tuple(strided(a) for a in arguments)
            self.assertFalse(apart[0].is_contiguous())
            self.check(op, exact, apart)
        x, weight, bias, residual = conv_arguments()
        last = (t.to(memory_format=torch.channels_last) for t in (x, weight))
        self.check(ops.conv_silu_residual, conv_silu_residual, (*last, bias, residual.expand_as(residual)))
        self.check(ops.geglu_linear, geglu_linear,
                   (*geglu_arguments()[:3], geglu_arguments()[3][:1, :1].expand(2, 7, 40)))  # strides of 0

    def test_sizes(self):
        for device in DEVICES:
            for op, exact, make in OPS:
                for sizes in RAGGED[op]:
                    self.check(op, exact, make(device=device, **sizes))

    def test_lazily_negated(self):
        """A view whose sign PyTorch flips when it is read."""
        x, *others = geglu_arguments()
        negated = torch.complex(x, -x).conj().imag
        self.assertTrue(negated.is_neg())
        self.check(ops.geglu_linear, geglu_linear, (negated, *others))

    def test_memory_that_changes(self):
        """A kernel that is found again reads what the same memory holds now."""
        arguments = geglu_arguments()
        ops.geglu_linear(*arguments)
        arguments[0].mul_(-0.5)
        self.check(ops.geglu_linear, geglu_linear, arguments)

    def test_meta(self):
        for op, _, make in OPS:
            real = op(*make())
            fake = op(*make(device="meta"))
            self.assertEqual((fake.shape, fake.dtype, fake.stride()), (real.shape, real.dtype, real.stride()))

    def test_opcheck(self):
        for device in DEVICES:
            for op, _, make in OPS:
                torch.library.opcheck(op.default, make(device=device))

    def test_compile_in_one_graph(self):
        for device in DEVICES:
            for op, exact, make in OPS:
                graphs = []

                def backend(graph, inputs):
                    graphs.append([n.target for n in graph.graph.nodes if n.op == "call_function"])
                    return graph.forward

                arguments = make(device=device)
                f = torch.compile(lambda *a: op(*a) * 2, fullgraph=True, backend=backend)
                self.check(op, exact, arguments, f(*arguments) / 2)
                self.assertEqual(len(graphs), 1)
                self.assertIn(op, graphs[0] + [getattr(t, "overloadpacket", None) for t in graphs[0]])

    def test_compile_by_inductor(self):
        f = torch.compile(lambda *a: torch.relu(ops.geglu_linear(*a)), fullgraph=True, dynamic=True)
        for device in DEVICES:
            for rows in (7, 30):
                arguments = geglu_arguments(rows=rows, device=device)
                self.check(ops.geglu_linear, lambda *a: torch.relu(geglu_linear(*a)), arguments, f(*arguments))

    def test_autocast(self):
        for device in DEVICES:
            for op, exact, make in OPS:
                arguments = make(device=device)
                with torch.autocast(device, dtype=torch.bfloat16):
                    got = op(*arguments)
                rounded = tuple(a.bfloat16() if isinstance(a, torch.Tensor) else a for a in arguments)
                self.check(op, exact, rounded, got, torch.bfloat16)

    def test_no_gradient(self):
        x, *others = geglu_arguments()
        y = ops.geglu_linear(x.requires_grad_(), *others)
        with self.assertRaisesRegex(RuntimeError, "derivative for inlay_ops::geglu_linear is not implemented"):
            y.sum().backward()

    def test_threads(self):
        arguments = geglu_arguments(rows=64)
        results = [None] * 4

        def work(n):
            results[n] = [ops.geglu_linear(*arguments) for _ in range(50)]

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for r in sum(results, []):
            self.assertTrue(torch.equal(r, results[0][0]))
        self.check(ops.geglu_linear, geglu_linear, arguments, results[0][0])

    def fails(self, sentence, op, *arguments):
        with self.assertRaises(RuntimeError) as raised:
            op(*arguments)
        self.assertEqual(str(raised.exception), sentence)

    def test_errors(self):
        x, weight, bias, residual = geglu_arguments()
        fails = lambda sentence, *a: self.fails("inlay: " + sentence, ops.geglu_linear, *a)
        fails("x has rank 2, expected 3", x[0], weight, bias, residual)
        fails("weight has rank 1, expected 2", x, bias, bias, residual)
        fails("bias has rank 2, expected 1", x, weight, weight, residual)
        fails("weight is of Half, expected Float as the others", x, weight.half(), bias, residual)
        fails("inlay_ops::geglu_linear takes Float, Half and BFloat16, not Double", x.double(), weight, bias, residual)
        fails("inlay_ops::geglu_linear takes Float, Half and BFloat16, not Int", x.int(), weight, bias, residual)
        fails("geglu: Linear<Mul<Buf<0>, Gelu<Buf<1>>>, Add<Add<Out, Buf<2>>, Buf<3>>, Store<0>, Auto>: the input "
              "[2, 7, 48] has K = 48, the weight [40, 47] has K = 47", x, weight[:, 1:], bias, residual)
        x, weight, bias, residual = conv_arguments()
        self.fails("inlay: residual has rank 3, expected 4", ops.conv_silu_residual, x, weight, bias, residual[0])
        self.fails("inlay: conv: Conv2D<Filter<3, 3, 1, 1, 1, 1, 1>, Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>, "
                   "Store<0>, Auto>: the weight [24, 2, 3, 16] is not 3x3 (PyTorch's [O, C, R, S] is permuted to [O, R, S, C])",
                   ops.conv_silu_residual, x, weight[:, :, :2], bias, residual)
        q, k, v, *scalars = attention_arguments()
        self.fails("inlay: q has heads of 40 columns, expected 64 or 128", ops.softcap_attention, q[..., :40], k, v,
                   *scalars)
        self.fails("inlay: v is of BFloat16, expected Float as the others", ops.softcap_attention, q, k, v.bfloat16(),
                   *scalars)
        if "cuda" in DEVICES:
            self.fails("inlay: weight lies on cpu, expected cuda:0", ops.geglu_linear,
                       *(t if n == 1 else t.cuda() for n, t in enumerate(geglu_arguments())))


@unittest.skipIf("cuda" not in DEVICES, "no GPU, or not built for CUDA")
class OnCuda(Checks, unittest.TestCase):
    def test_graph(self):
        for op, exact, make in OPS:
            arguments = make(dtype=torch.float16, device="cuda")
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                op(*arguments)      # loads the kernels, which a capture must not
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = op(*arguments)
            for _ in range(3):
                arguments[0].mul_(0.5)
                y.zero_()
                graph.replay()
                self.check(op, exact, arguments, y)

    def test_graphs_of_torch_compile(self):
        f = torch.compile(lambda *a: ops.geglu_linear(*a) * 2, fullgraph=True, mode="reduce-overhead")
        arguments = geglu_arguments(dtype=torch.float16, device="cuda")
        for _ in range(4):
            arguments[0].mul_(0.5)
            self.check(ops.geglu_linear, geglu_linear, arguments, f(*arguments).clone() / 2)

    def test_current_stream(self):
        """On another stream than that of the op, the input would not be there yet."""
        for op, exact, make in OPS:
            arguments = make(dtype=torch.float16, device="cuda")
            op(*arguments)
            late = torch.zeros_like(arguments[0])
            torch.cuda.synchronize()
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                torch.cuda._sleep(50_000_000)
                late.copy_(arguments[0])
                y = op(late, *arguments[1:])
            self.assertFalse(stream.query(), "the op waited for the device")
            stream.synchronize()
            self.check(op, exact, arguments, y)

    def test_scratch_of_the_allocator(self):
        """Kernels that take scratch memory have it from PyTorch's allocator, with whatever it held before."""
        allocations = {}    # of the last call: its result, and scratch memory where it takes some
        for op, exact, arguments in [
                (ops.geglu_linear, geglu_linear, geglu_arguments(torch.float16, "cuda", 1, 512, k=1280, n=10240)),
                (ops.conv_silu_residual, conv_silu_residual, conv_arguments(torch.float16, "cuda", 1, 1280, 64, 8, 8)),
                (ops.softcap_attention, softcap_attention, attention_arguments(
                    torch.float16, "cuda", 1, 1, 1, queries=1, keys=8192, window=8192))]:
            last = lambda t: t.to(memory_format=torch.channels_last) if t.dim() == 4 else t
            arguments = tuple(last(a) if op == ops.conv_silu_residual else a for a in arguments)
            for _ in range(3):
                held = [torch.full((1 << n,), math.nan, device="cuda") for n in range(8, 24)]
                del held
                before = torch.cuda.memory_stats()["allocation.all.allocated"]
                y = op(*arguments)
                allocated = torch.cuda.memory_stats()["allocation.all.allocated"] - before
                self.check(op, exact, arguments, y)
            allocations[str(op)] = allocated
        self.assertTrue(any(n > 1 for n in allocations.values()), f"no kernel took scratch memory: {allocations}")


if __name__ == "__main__":
    unittest.main()
