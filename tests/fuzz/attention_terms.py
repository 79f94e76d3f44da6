# SPDX-License-Identifier: Apache-2.0
"""Random scores, masks and rows of attention. Each is a pair of spellings, an Inlay type and C++ over doubles, that are
put together side by side and share nothing else."""
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    inlay: str
    plain: str


OUT, I, J = Term("Out", "p.out"), Term("QueryPosition", "p.i()"), Term("Coord<3>", "double(p.k)")
BATCH, HEAD, QUERY = Term("Coord<0>", "double(p.b)"), Term("Coord<1>", "double(p.h)"), Term("Coord<2>", "double(p.q)")


def number(x):
    return Term(f"Const<{x}>", repr(float(x)))


def binary(name, plain):
    return lambda a, b: Term(f"{name}<{a.inlay}, {b.inlay}>", plain.format(a.plain, b.plain))


def unary(name, plain):
    return lambda a: Term(f"{name}<{a.inlay}>", plain.format(a.plain))


add, sub, mul, div = (binary(n, f"({{}} {o} {{}})") for n, o in (
    ("Add", "+"), ("Sub", "-"), ("Mul", "*"), ("Div", "/")))
less, less_equal, greater, greater_equal, equal, not_equal, both, either = (
    binary(n, f"({{}} {o} {{}})") for n, o in (
        ("Less", "<"), ("LessEqual", "<="), ("Greater", ">"), ("GreaterEqual", ">="), ("Equal", "=="),
        ("NotEqual", "!="), ("And", "&&"), ("Or", "||")))
least, most = binary("Min", "std::min<double>({}, {})"), binary("Max", "std::max<double>({}, {})")
opposite, absolute, floor, tanh, negative, ascending = (unary(n, p) for n, p in (
    ("Not", "!{}"), ("Abs", "std::fabs({})"), ("Floor", "std::floor({})"), ("Tanh", "std::tanh({})"), ("Neg", "(-{})"),
    ("Ascending", "{}")))


def where(c, a, b):
    return Term(f"Where<{c.inlay}, {a.inlay}, {b.inlay}>", f"({c.plain} ? {a.plain} : {b.plain})")


def remainder(x, m):
    return sub(x, mul(number(m), floor(div(x, number(m)))))


class Deck:
    """Deals the kinds of something one after the other, all of them before any comes again."""

    def __init__(self, rng, kinds):
        self.rng, self.kinds, self.left = rng, kinds, []

    def deal(self):
        if not self.left:
            self.left = self.rng.sample(self.kinds, len(self.kinds))
        return self.left.pop()


CONDITIONS = ["causal", "window", "near", "prefix", "sink", "documents", "some documents", "blocks", "block window",
              "dilated", "lengths", "head window", "later", "bits", "scores", "distance of squares", "heads differ",
              "joined", "joined", "joined"]
SCORES = ["scaled", "scaled", "softcap", "softcap", "capped", "slopes", "bias", "holes", "temperature", "distance",
          "coordinates", "heads", "square", "least", "where", "negative", "two biases"]
ROWS = ["softmax", "softmax", "softmax", "plus one", "sink", "sink of a query", "sigmoid", "linear", "fixed",
        "unnormalised", "epsilon", "temperature", "root", "mean", "relu", "two", "two pass", "standard", "base 2",
        "score times weight"]


class Decks:
    def __init__(self, rng):
        self.conditions, self.scores, self.rows = (Deck(rng, kinds) for kinds in (CONDITIONS, SCORES, ROWS))


class Attention:
    """Draws one attention. Slots and scalars are numbered as they are drawn."""

    def __init__(self, rng, decks, d):
        self.rng, self.decks, self.d = rng, decks, d
        self.slots = []    # (C++ type, rank, content, axes)
        self.scalars = []

    def slot(self, content, axes, rank=None, type="float", row=False):
        """A tensor over those of the axes "bhqk" that are named; leading axes that are not are left out, or 1."""
        least_rank = 4 - min("bhqk".index(a) for a in axes if a in "bhqk") if axes != "c" else 1
        rank = rank or self.rng.choice([r for r in (1, 2, 3, 4) if r >= least_rank])
        self.slots.append((type, rank, content, axes))
        n = len(self.slots) + 2
        return Term(f"Buf<{n}>", f"{'r.at' if row else 'p'}.slot({n})")

    def scalar(self, value, row=False):
        self.scalars.append(value)
        n = len(self.scalars) - 1
        return Term(f"Param<{n}>", f"{'r.at' if row else 'p'}.scalar({n})")

    def pick(self, *choices):
        return self.rng.choice(choices)

    # -- conditions: true where the key is visible

    def condition(self, kind=None):
        """A term, and the option that names it, if one does."""
        kind = kind or self.decks.conditions.deal()
        far = sub(I, J)
        causal = less_equal(J, I)
        length = self.pick(1, 3, 17, 40)
        bound = lambda: number(length) if self.rng.random() < 0.5 else self.scalar(length)
        if kind == "causal":
            return causal, "mask::Causal"
        if kind == "window":
            w = bound()
            return both(causal, less(far, w)), f"mask::Window<{w.inlay}>"
        if kind == "near":
            return less(absolute(far), bound()), None
        if kind == "prefix":
            p = bound()
            return either(less(J, p), causal), f"mask::Prefix<{p.inlay}>"
        if kind == "sink":
            return both(causal, either(less(J, number(4)), less(far, bound()))), None
        if kind == "documents":
            same = equal(self.slot("ids_of_queries", "q", self.pick(2, 4), "std::int32_t"),
                         ascending(self.slot("ids_of_keys", "k", type="std::int32_t")))
            return self.pick(same, both(same, causal), both(causal, same)), None
        if kind == "some documents":
            return equal(self.slot("mixed_ids", self.pick("q", "bq"), 4, "std::int32_t"),
                         self.slot("mixed_ids", self.pick("k", "bk"), 4, "std::int32_t")), None
        if kind == "blocks":
            n = number(self.pick(3, 16, 24, 41))
            return equal(floor(div(I, n)), floor(div(J, n))), None
        if kind == "block window":
            n = number(self.pick(8, 32))
            return both(causal, less_equal(sub(floor(div(I, n)), floor(div(J, n))), number(1))), None
        if kind == "dilated":
            step = self.pick(2, 3, 4, 41)
            return both(causal, equal(remainder(far, step), number(0))), None
        if kind == "lengths":
            return less(J, self.slot("lengths", "b", 4, "std::int32_t")), None
        if kind == "head window":
            return both(causal, less(far, self.slot("widths", "h", self.pick(3, 4)))), None
        if kind == "later":
            return opposite(less_equal(J, sub(I, bound()))), None
        if kind == "bits":
            return not_equal(self.slot("bits", self.pick("qk", "hqk", "bqk"), type=self.pick("float", "std::int32_t")),
                             number(0)), None
        if kind == "scores":  # sums of multiples of 1/64, which are exact
            return greater(OUT, number(self.pick("-0.5078125", "0.2578125"))), None
        if kind == "distance of squares":
            return less(mul(far, far), number(self.pick(10, 401))), None
        if kind == "heads differ":
            return either(less(HEAD, number(1)), less_equal(J, I)), None
        a, b = (self.condition(kind)[0] for kind in self.rng.sample(CONDITIONS[:-3], 2))
        return self.pick(both(a, b), either(a, b), opposite(both(a, b)), both(a, opposite(b))), None

    # -- scores: about as large as 1

    def score(self):
        """A term, and the option that names it, if one does."""
        scale = 0.5 / math.sqrt(self.d)
        usual = Term(f"Mul<Out, Const<score::inverse_root({self.d})>>", f"(p.out / std::sqrt({self.d}.0))")
        scaled = mul(OUT, number(round(scale, 4)))
        far = sub(J, I)
        kind = self.decks.scores.deal()
        if kind == "scaled":
            return usual, "score::Scaled"
        if kind == "softcap":
            cap = self.scalar(5.0) if self.rng.random() < 0.3 else number(self.pick(2, 4, 20))
            return mul(cap, tanh(div(usual, cap))), f"score::Softcap<{cap.inlay}>"
        if kind == "capped":
            return add(tanh(scaled), tanh(mul(OUT, number(-0.01)))), None
        if kind == "slopes":
            return add(usual, mul(self.slot("slopes", "h", self.pick(3, 4)), absolute(far))), None
        if kind == "bias":
            return add(scaled, self.slot("eighths", self.pick("qk", "hqk", "bqk", "k", "bk", "hk", "bh"))), None
        if kind == "holes":
            return add(scaled, self.slot("holes", self.pick("qk", "hqk", "bk"))), None
        if kind == "temperature":
            return mul(scaled, self.scalar(self.pick(0.5, 2.25))), None
        if kind == "distance":
            return sub(scaled, mul(number(0.0625), absolute(far))), None
        if kind == "coordinates":
            return add(mul(scaled, add(number(1), mul(HEAD, number(0.25)))),
                       mul(number(0.03125), sub(remainder(J, 41), remainder(add(QUERY, BATCH), 3)))), None
        if kind == "heads":
            return mul(scaled, self.slot("positive", "h", self.pick(3, 4))), None
        if kind == "square":
            return sub(number(1), mul(scaled, scaled)), None
        if kind == "least":
            return most(number(-1), least(mul(OUT, number(0.0625)), number(1))), None
        if kind == "where":
            return where(less(far, number(-8)), mul(scaled, number(0.5)), add(scaled, number(0.25))), None
        if kind == "negative":
            return mul(OUT, number(round(-scale, 4))), None
        return add(add(scaled, self.slot("eighths", "hq", self.pick(3, 4))), self.slot("eighths", "k", 1)), None

    # -- rows: the type, and statements that return the factor of each visible key

    def row(self):
        w = "[&](double s) { return %s; }"
        softmax = w % "std::exp(s - m)"
        m, total = "const double m = r.max();", "const double l = r.sum(f);"
        top = "KeyMax<Score>"
        p = f"Exp<Sub<Score, {top}>>"

        def over(weight, f, denominator, before="", of_l="l"):
            """Σ w·V over a denominator, which reads l = Σ w."""
            return (f"row::Of<Div<KeySum<Mul<{weight}, Values>>, {denominator}>>",
                    f"{before} const auto f = {w % f}; {total if 'l' in of_l.split() else ''} const double n = {of_l}; "
                    f"auto a = r.each(f); for (double& x : a) x /= n; return a;")

        kind = self.decks.rows.deal()
        if kind == "softmax":
            return over(p, "std::exp(s - m)", f"KeySum<{p}>", m) if self.rng.random() < 0.3 else (
                "row::Softmax", over(p, "std::exp(s - m)", "", m)[1])
        if kind == "plus one":
            return "row::SoftmaxPlusOne", over(p, "std::exp(s - m)", "", m, "l + std::exp(-m)")[1]
        if kind.startswith("sink"):
            s = self.slot("eighths", "h", self.pick(3, 4), row=True) if kind == "sink" else self.slot(
                "eighths", self.pick("q", "hq", "bq"), 4, row=True)
            return f"row::Sink<{s.inlay}>", over(p, "std::exp(s - m)", "", m, f"l + std::exp({s.plain} - m)")[1]
        if kind == "sigmoid":
            if self.rng.random() < 0.5:
                return "row::Sigmoid", f"return r.each({w % '1 / (1 + std::exp(-s))'});"
            shift = self.scalar(self.pick(-1.0, 0.5), row=True)
            return (f"row::Of<KeySum<Mul<Sigmoid<Add<Score, {shift.inlay}>>, Values>>>",
                    f"return r.each({w % f'1 / (1 + std::exp(-s - {shift.plain}))'});")
        if kind == "linear":
            return "row::Linear", f"return r.each({w % 's'});"
        if kind == "fixed":
            e = "Exp<Sub<Score, Const<3>>>"
            return over(e, "std::exp(s - 3)", f"KeySum<{e}>")
        if kind == "unnormalised":
            return over(p, "std::exp(s - m)", f"Add<Add<{top}, KeySum<{p}>>, Const<8>>", m, "m + l + 8")
        if kind == "epsilon":
            return over(p, "std::exp(s - m)", f"Add<KeySum<{p}>, Const<0.001>>", m, "l + 0.001")
        if kind == "temperature":
            t = self.scalar(self.pick(0.5, 1.5), row=True)
            e = f"Exp<Mul<Sub<Score, {top}>, {t.inlay}>>"
            return over(e, f"std::exp((s - m) * {t.plain})", f"KeySum<{e}>", m)
        if kind == "root":
            return over(p, "std::exp(s - m)", f"Sqrt<KeySum<Mul<{p}, {p}>>>", m,
                        f"std::sqrt(r.sum({w % 'std::exp(2 * (s - m))'}))")
        if kind == "mean":
            return over("Sigmoid<Score>", "1 / (1 + std::exp(-s))", "KeySum<Const<1.0>>", "", "r.count()")
        if kind == "relu":
            e = "Mul<Max<Score, Const<0>>, Max<Score, Const<0>>>"
            return over(e, "s > 0 ? s * s : 0", f"Add<KeySum<{e}>, Const<1>>", "", "l + 1")
        if kind == "two":
            t = self.scalar(0.5, row=True)
            e = f"Exp<Mul<Sub<Score, {top}>, Const<0.5>>>"
            return (f"row::Of<KeySum<Mul<Sub<Div<{p}, KeySum<{p}>>, Mul<{t.inlay}, Div<{e}, KeySum<{e}>>>>, Values>>>",
                    f"{m} const auto f = {softmax}; {total} const auto g = {w % 'std::exp((s - m) / 2)'}; "
                    f"const double n = r.sum(g); auto a = r.each(f); const auto b = r.each(g); "
                    f"for (std::size_t k = 0; k < a.size(); ++k) a[k] = a[k] / l - {t.plain} * b[k] / n; return a;")
        if kind == "two pass":
            e = f"Sigmoid<Sub<Score, TwoPass<{top}>>>"
            return over(e, "1 / (1 + std::exp(m - s))", f"KeySum<{e}>", m)
        if kind == "standard":
            mean = "Div<KeySum<Score>, KeySum<Const<1.0>>>"
            e = f"Exp<Sub<Score, TwoPass<{mean}>>>"
            return over(e, "std::exp(s - m)", f"Add<KeySum<{e}>, Const<1>>",
                        f"const double m = r.sum({w % 's'}) / r.count();", "l + 1")
        if kind == "base 2":
            e = f"Exp2<Sub<Score, {top}>>"
            return over(e, "std::exp2(s - m)", f"KeySum<{e}>", m)
        e = f"Mul<Score, {p}>"
        return over(e, "s * std::exp(s - m)", f"KeySum<{p}>", m, f"r.sum({softmax})")

    def number(self):
        """A number of the row: its type, and statements that return it."""
        p = "Exp<Sub<Score, KeyMax<Score>>>"
        total = "const double m = r.max(); const double l = r.sum([&](double s) { return std::exp(s - m); });"
        return self.pick(("row::LogSumExp", f"{total} return m + std::log(l);"),
                         ("row::LogSumExp", f"{total} return m + std::log(l);"),
                         ("KeyMax<Score>", "return r.max();"), (f"KeySum<{p}>", f"{total} return l;"),
                         ("KeySum<Const<1.0>>", "return r.count();"))
