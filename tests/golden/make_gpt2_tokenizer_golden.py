# SPDX-License-Identifier: Apache-2.0
"""Writes gpt2_tokenizer.json and the folder tiny-gpt2-tokenizer: varied strings and the ids that transformers'
GPT2TokenizerFast gives them.

    python tests/golden/make_gpt2_tokenizer_golden.py GPT2_TIKTOKEN

GPT2_TIKTOKEN is whisper/assets/gpt2.tiktoken of PyPI's openai-whisper; it is read, not stored. Two tokenizers answer:
`gpt2` (GPT-2's vocabulary) and `tiny` (320 tokens learned from the strings of TRAINING, stored beside this script).
`decoded` has the text of the ids of `gpt2` without their last one, where that is not the string's own beginning:
characters cut in two.
"""

import argparse
import base64
import json
import os
import random
import tempfile

import tokenizers
import transformers
from tokenizers import ByteLevelBPETokenizer
from transformers import GPT2TokenizerFast

HERE = os.path.dirname(os.path.abspath(__file__))
END = "<|endoftext|>"

TRAINING = """\
The kernel reads its operands once, and the sum of each row is kept in registers. A token is one row of a table.
When the lighthouse keeper climbed the stairs that evening, the wind was rising and the sea had turned grey.
She didn't say that they're late, but I'm sure we've seen it, and he'll know what you'd do; it's the children's.
def add(a, b):
    return a + b

for (int i = 0; i < count; ++i) {
    total += values[i];
}
In 2024 there were 365 and 366 days; 12 months; 7 days a week: 1,000,000 things. Größe, café, naïve, привет, 日本語 😀.
"""

LINES = [
    "", " ", "  ", "   ", "\n", "\n\n", " \n", "\n ", "\t", "\t\t x", "\r\n", " \r\n  a", "a", " a", "a ", "  a  b   c ",
    "Hello, world!", "Hello world", "hello  world", "It's they're we've I'm you'll he'd don't", "IT'S THEY'RE I'M 'S 'T",
    "''quoted'' 's 't 're 've 'm 'll 'd", "rock'n'roll 'sup 'ttt 'real 'very x's'", "\u2019s don\u2019t \u2018q\u2019",
    "1 12 123 1234 12345 3.14159 1,000,000 1e-5 0x7f 50% $9.99 £5 €7", "a1b2c3 1st 2nd x86_64 H2O 10GB",
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis", "a" * 64, " " * 33 + "x", "\n" * 17,
    "!" * 21, "=" * 40, "-" * 80, "\u00a0x\u00a0\u00a0y", "\u3000全角\u3000", "\u2028\u2029x", "\u200b\u200cx\u200d",
    "\ufeffbom", "a\u0085b", "\x0b\x0c x", "\x00", "a\x00b", "\x01\x1f\x7f", "\x1c\x1d\x1e x", "\u180ex",
    END, "a" + END + "b", END * 2, " " + END + " ", "<|endoftext|", "<|ENDOFTEXT|>", "x <|endoftext|>y\n<|endoftext|>",
    "Zürich São Paulo Łódź Kraków Reykjavík Đà Nẵng Ångström Œuvre straße ẞ", "naïve café déjà vu coöperate señor",
    "cafe\u0301 e\u0301\u0301 \u0301x", "ΑΒΓΔ αβγδ Ὀδυσσεύς", "Привет, мир! Ёлка ёж", "שָׁלוֹם עולם", "مرحبا بالعالم ٠١٢٣",
    "नमस्ते दुनिया क्षि १२३", "สวัสดีชาวโลก ๑๒๓", "안녕하세요 세계 각", "日本語のテスト、東京タワー。カタカナ", "中文测试，山水画。〇一二三 ㊗ ①②③",
    "ქართული հայերեն አማርኛ ខ្មែរ ᏣᎳᎩ", "½ ⅓ ² ³ ¹ ₂ Ⅷ ⅷ 𝟘𝟙 𝕒𝕓 𝓐 𝔄", "ﬁ ﬂ Ǆ ǅ ŉ İstanbul", "😀 😃😄 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 ❤️ ☃",
    "x😀y 1😀2 😀'😀", "∑∫√∞≠≤ → ← ⇒ ∀x∈ℝ", "¿Qué? ¡Sí! «guillemets» „quotes“ — – …", "\U0001F9D1\u200d\U0001F680 \ufe0f",
    "def f(x):\n    return x ** 2  # square\n\n\nclass A(B):\n\tpass\n", "for (int i = 0; i < n; ++i) { a[i] += b[i] * 2.0f; }",
    "#include <vector>\nint main() { return std::vector<int>{1, 2, 3}.size(); }", "{\"key\": [1, 2.5, null], \"b\": true}",
    "SELECT * FROM t WHERE a = 'it''s' AND b >= 10;", "<div class=\"x\">&nbsp;&amp;</div>", "~/dir/file.tar.gz && ls -la | grep x",
    "https://example.com/a?b=c&d=e#f user@example.org #tag @name", "C++ C# .NET node.js f(x)=x^2 a_b-c a/b\\c",
    "\\begin{equation} \\frac{a}{b} \\end{equation}", "if x:\r\n\ty = 1\r\n\r\n", "    \n    \n\n  x", "a\n \n b", "\n\n\tx \t\n y",
    "x = lambda: (yield)\n" * 3, "0" * 50, "9" * 7 + "abc", "αβγ123ΔΕΖ", "_x __init__ a__b", "ÃÂ â€™ Ġhello Ċ", "Ġ", "é", "ÿ\u0100\u0143",
    "\U0010ffff \U000e0001 \ue000", "\u0378 \u0e00 \U00013460 \U0001ccf0 \u1c89", "ᲥᲐᲠ ꮳꮃ 𞤀𞤢 𐐷", "x\u0300\u0301\u0302y", "١٢٣ ௧௨ 〹",
]


def alphabets():
    yield "abcdefghijklmnopqrstuvwxyz     "
    yield "ABCabc 123 ,.!?'\"-\n"
    yield " \n\t\r\u00a0\u2003x"
    yield "'sStTrReEvVmMlLdD "
    yield "(){}[]<>=+-*/&|^%!~;:,.#@$_\\ \n\tab01"
    yield "äöüßéèñçøåæœÄÖÜabc "
    yield "бвгдежзабвгд αβγδε 12"
    yield "日本語中文한국어、。 a1"
    yield "😀😃👍🏽👩\u200d❤\ufe0f🇩🇪 x"
    yield "مرحباابת שלום १२३ क्ष"


def make_strings():
    rng = random.Random(35)
    strings = list(LINES)
    words = [w for line in LINES + TRAINING.split("\n") for w in line.split(" ") if w]
    while len(strings) < 500:  # lines that mix scripts
        strings.append(rng.choice(["", " ", "\n"]).join(rng.choice([" ", " ", "  ", "\n", ""]) + rng.choice(words)
                                                        for _ in range(rng.randint(1, 6))))
    choices = list(alphabets())
    while len(strings) < 1000:
        alphabet = rng.choice(choices)
        strings.append("".join(rng.choice(alphabet) for _ in range(rng.randint(1, 24))))
    while len(strings) < 1100:  # any code points
        points = [rng.randrange(0x20, 0x3000 if rng.random() < 0.7 else 0x20000) for _ in range(rng.randint(1, 12))]
        strings.append("".join(chr(c) for c in points if not 0xd800 <= c < 0xe000))
    return strings


def symbols_of_bytes():
    table = transformers.convert_slow_tokenizer.bytes_to_unicode()
    return lambda b: "".join(table[x] for x in b)


def merges_of(ranks):
    """The two tokens that each token of several bytes is made of: what lesser ranks leave of its bytes."""
    for token, rank in sorted(ranks.items(), key=lambda x: x[1]):
        parts = [bytes([b]) for b in token]
        while len(parts) > 2:
            at = min(range(len(parts) - 1), key=lambda i: ranks.get(parts[i] + parts[i + 1], rank))
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            yield parts


def write_gpt2(folder, source):
    ranks = {base64.b64decode(t): int(r) for t, r in (line.split() for line in open(source))}
    spell = symbols_of_bytes()
    vocabulary = {spell(t): r for t, r in ranks.items()} | {END: len(ranks)}
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as f:
        json.dump(vocabulary, f)
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as f:
        f.write("#version: 0.2\n" + "".join(spell(a) + " " + spell(b) + "\n" for a, b in merges_of(ranks)))


def write_tiny(folder):
    os.makedirs(folder, exist_ok=True)
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(TRAINING.split("\n"), vocab_size=320, min_frequency=2, special_tokens=[END],
                                  show_progress=False)
    tokenizer.save_model(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tiktoken")
    args = parser.parse_args()
    strings = make_strings()
    out = {"made_by": f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}",
           "strings": strings}
    tiny = os.path.join(HERE, "tiny-gpt2-tokenizer")
    write_tiny(tiny)
    with tempfile.TemporaryDirectory() as gpt2:
        write_gpt2(gpt2, args.tiktoken)
        for name, folder in (("gpt2", gpt2), ("tiny", tiny)):
            tokenizer = GPT2TokenizerFast.from_pretrained(folder)
            out[name] = [tokenizer(s)["input_ids"] for s in strings]
            if name == "gpt2":
                out["decoded"] = {}
                for i, (s, ids) in enumerate(zip(strings, out[name])):
                    text = tokenizer.decode(ids[:-1], clean_up_tokenization_spaces=False)
                    if not s.startswith(text):
                        out["decoded"][str(i)] = text
                    whole = tokenizer.decode(ids, clean_up_tokenization_spaces=False)
                    assert whole == s, (s, whole)
    with open(os.path.join(HERE, "gpt2_tokenizer.json"), "w", encoding="utf-8") as f:
        f.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in out.items()) + "\n}\n")


if __name__ == "__main__":
    main()
