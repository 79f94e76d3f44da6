# SPDX-License-Identifier: Apache-2.0
"""Writes tokenizer.json: varied prompts and the ids that transformers' CLIPTokenizerFast gives them.

    python tests/golden/make_tokenizer_golden.py MERGES [--out FILE]

MERGES is the list that openai/CLIP publishes as bpe_simple_vocab_16e6.txt.gz; it is read, not stored. Three tokenizers
answer: `clip` (CLIP's vocabulary, every prompt), `bytes` (no merges, a sixth of the prompts) and `pad` (CLIP's with "!"
as padding token, as Stable Diffusion 2 has it, a sixth). Ids are those of padding="max_length", truncation=True without
the padding at the end; `dropped` has what truncation took away, decoded, by index of the prompt.
"""

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
import unicodedata

import tokenizers
import transformers
from transformers import CLIPTokenizerFast

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import pipeline_files  # noqa: E402

PLAIN = """\
a photograph of an astronaut riding a horse
A portrait of a woman, oil on canvas, by Rembrandt
masterpiece, best quality, ultra-detailed, 8k, trending on artstation
lowres, bad anatomy, bad hands, text, error, missing fingers, extra digit, fewer digits, cropped, worst quality
(masterpiece:1.3), [low quality], {{best}}, <lora:foo:0.8>
a red fox in the snow --ar 16:9 --v 5
It's a dog's life; they're here, we've won, I'm sure, you'll see, he'd go, don't
IT'S THEY'RE WE'VE I'M YOU'LL HE'D DON'T
''quoted'' 's 't 're 've 'm 'll 'd 'S 'x rock'n'roll
http://example.com/a?b=c&d=e#f user@example.org #hashtag @name
1 12 123 1234 12345 3.14159 1,000,000 1e-5 0x7f 50% $9.99 £5 €7 ¥100
C++ C# .NET node.js f(x)=x^2 a<b>c a_b-c a/b\\c ~`!@#$%^&*()_+-={}[]|:;"<>,.?/
antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz
&amp; &lt;b&gt; &quot;x&quot; &#39;y&#39; &nbsp; &eacute; &#x1F600; <br> <p>text</p> &amp;amp;
<|startoftext|> <|endoftext|> a<|endoftext|>b <|ENDOFTEXT|> <|StartOfText|>x <|endoftext <|startoftext|><|endoftext|>
!<|endoftext|>! a <| endoftext |> b </w> a</w>b </w></w>
Zürich, São Paulo, Łódź, Kraków, Reykjavík, Đà Nẵng, Ångström, Ærø, Œuvre, straße, STRASSE, ẞ
naïve café déjà vu coöperate El Niño señor garçon
ΑΒΓΔ αβγδ Ὀδυσσεύς ΣΊΣΥΦΟΣ Σ ς ΌΣΟΣ
Привет, мир! Ёлка ёж ЩЪЫЬ Їжак Љубав
שָׁלוֹם עולם אבג
مرحبا بالعالم ٠١٢٣٤٥ ﷺ ﻻ
नमस्ते दुनिया क्षि १२३ ড় ড়
สวัสดีชาวโลก ๑๒๓ กำ
안녕하세요 세계 각 ᄀ
日本語のテスト、東京タワー。カタカナ ｶﾀｶﾅ 夕日 ﾊﾞ が
中文测试，山水画。繁體中文 〇一二三 ㊗㊙ ①②③
ქართული ᲥᲐᲠᲗᲣᲚᲘ հայերեն አማርኛ ខ្មែរ ᏣᎳᎩ ꮳꮃꭹ
İstanbul ISPARTA ılık İİ i̇ ŉ ǰ ﬁ ﬂ ﬆ ĳ Ǆ ǅ ǆ
½ ⅓ ² ³ ¹ ₂ Ⅷ ⅷ ↂ 〹 ௧௨ 𝟘𝟙 𝕒𝕓 𝓐 𝔄
x\u0301\u0323 a\u0323\u0301 e\u0301 é E\u0301 \u0301a a\u0308\u0304 q\u0307\u0323 Å Å Ω K
\u1100\u1161\u11a8 \uac00\u11a8 \u0344 \u0958 \u2126 \ufb1d \u0f73 \U0001d15e
😀 😃😄 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 ❤️ ☺ ☺️ ✈︎ 1️⃣ #️⃣ 🧑🏿‍🚀
🌅🌅🌅 a🌅b 🌅1 cat🐈‍⬛ ♥ ★ → ⇒ ∞ ≠ ∑ ∫ √ ∂ ♪ ☃ ☭ ♔ ✂ ⚀ 🀄 🂡
“curly” ‘quotes’ «guillemets» „low“ ‚x‘ – — ― … • · † ‡ ‰ § ¶ © ® ™ ª º
tab\there new\nline cr\rlf\r\n vt\x0bff\x0c fs\x1cgs\x1drs\x1eus\x1f nel\x85
nbsp\u00a0x en\u2002em\u2003thin\u2009hair\u200a zwsp\u200bx zwnj\u200cx zwj\u200dx lrm\u200ex ls\u2028ps\u2029
narrow\u202fmath\u205fideographic\u3000ogham\u1680mongolian\u180ebom\ufeffwj\u2060
nul\x00x \x01\x02\x7f\x80\x9f soft\u00adhyphen \ufffd \ufffe \U0010ffff \ue000 \U000f0000
\U0001e900\U0001e922 \U00010400\U00010428 \U000118a0 \ua7cb\ua7dc \u1c89 \U00010d50\U00010d70 \U00016ea0 \U0002ebf0
a\u1abf\u0301 a\u08ca\u0323 \u0c15\u0c3c\u0301 \U00011935\U00011930 \u1df6\u0316 \U0001e4ec\u0316
"""

OPENINGS = "a photo of|a painting of|an oil painting of|concept art of|a macro shot of|the|an isometric render of".split("|")
THINGS = (
    "a cat|two dogs|Mount Fuji|the Eiffel Tower at night|a café in Paris|a steampunk robot|ein Märchenschloss|"
    "夕日の海|une forêt enchantée|a bowl of 12 apples|грустный клоун|an old man's face|🐉 dragon|la niña del río|"
    "a glass sphere"
).split("|")
STYLES = (
    "in the style of Van Gogh|digital art, 4k|35mm, f/1.8, bokeh|trending on ArtStation|ukiyo-e|cyberpunk, neon|"
    "watercolour|unreal engine 5, octane render|studio ghibli|black & white|HDR, UHD, 64K|"
    "by greg rutkowski and alphonse mucha"
).split("|")


def composed(rng: random.Random) -> list[str]:
    """What people write."""
    out = [f"{o} {t}, {s}" for o, t, s in zip(OPENINGS * 20, THINGS * 10, STYLES * 12)][:120]
    for _ in range(40):
        words = rng.sample(THINGS, 3) + rng.sample(STYLES, 4)
        out.append(rng.choice([", ", " ", " | ", ",", "\n", " AND "]).join(words))
    return out


def over_long(rng: random.Random) -> list[str]:
    out = ["a " * n for n in (74, 75, 76, 77, 100, 300)] + ["word" * 120, "🌅" * 60, "夕日" * 80, "9" * 90, "é" * 200]
    for n in (30, 45, 60, 80):
        out += [", ".join(rng.choice(THINGS + STYLES) for _ in range(n)) for _ in range(5)]
    return out


def by_script(rng: random.Random) -> list[str]:
    """Random characters of one stretch of Unicode each, some between Latin letters."""
    out = []
    ranges = [(0x80, 0x3400), (0xF900, 0x11000), (0x1E000, 0x1FB00)]
    alone = [0x4E00, 0xA000, 0xA600, 0xAC00, 0x12000, 0x16800, 0x1D100, 0x1D400, 0x20000]
    for first in [*alone, *(c for a, b in ranges for c in range(a, b, 0x100))]:
        known = [chr(c) for c in range(first, first + 0x100) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
        if known:
            text = "".join(rng.choice(known) for _ in range(rng.randint(4, 16)))
            out += [text, " ".join(rng.choice("aBc1'.") + c + rng.choice("Xy2' ") for c in text)]
    return out


def disordered(rng: random.Random) -> list[str]:
    """Combining marks in any order, and pieces of everything."""
    marks = [chr(c) for c in range(0x300, 0x370)] + list("\u0591\u05b0\u064b\u0651\u093c\u0e38\u3099\u1dc0\u20d0")
    pieces = PLAIN.split() + [" ", "  ", "\t", "\u3000", "\u200d", "'s", "'LL", "1", "É", "e\u0301"]
    out = []
    for _ in range(60):
        stack = [rng.choice("aeiouAEIOUqğ가\u1100 ") + "".join(rng.sample(marks, rng.randint(0, 4))) for _ in range(6)]
        out.append("".join(stack))
    for _ in range(100):
        out.append("".join(rng.choice(pieces) for _ in range(rng.randint(1, 9))))
    return out


def prompts() -> list[str]:
    rng = random.Random(20)
    edges = ["", " ", "\n", " a", "a ", "  a  b  ", "\u3000", "\u200b", "!", "!!", "! !", "a!", "'", "\x00"]
    out = edges + PLAIN.splitlines() + composed(rng) + over_long(rng) + by_script(rng) + disordered(rng)
    return list(dict.fromkeys(out))


def answers(tokenizer: CLIPTokenizerFast, texts: list[str], which: range) -> dict:
    ids, dropped = [], {}
    for i in which:
        padded = tokenizer(texts[i], padding="max_length", max_length=77, truncation=True).input_ids
        full = tokenizer(texts[i]).input_ids
        assert len(padded) == 77
        ids.append(padded[: min(len(full), 77)])
        assert padded[len(ids[-1]) :] == [tokenizer.pad_token_id] * (77 - len(ids[-1]))
        if len(full) > 77:
            dropped[str(i)] = tokenizer.decode(full[76:-1])
    return {"step": which.step, "ids": ids, "dropped": dropped}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("merges", help="bpe_simple_vocab_16e6.txt.gz, or the same unpacked")
    parser.add_argument("--out", default=os.path.join(HERE, "tokenizer.json"))
    args = parser.parse_args()
    unpack = gzip.open if args.merges.endswith(".gz") else open
    with unpack(args.merges, "rt", encoding="utf-8") as f:
        merges = f.read().split("\n")[1 : 49152 - 256 - 2 + 1]

    texts = prompts()
    assert len(texts) >= 500, len(texts)
    result = {"transformers": transformers.__version__, "tokenizers": tokenizers.__version__, "prompts": texts}
    with tempfile.TemporaryDirectory() as folder:
        pipeline_files.write_tokenizer(folder, merges, 49408)
        result["clip"] = answers(CLIPTokenizerFast.from_pretrained(folder), texts, range(0, len(texts), 1))
        for name in ("tokenizer_config.json", "special_tokens_map.json"):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                config = json.load(f)
            pipeline_files.write_json(path, config | {"pad_token": "!"})
        result["pad"] = answers(CLIPTokenizerFast.from_pretrained(folder), texts, range(0, len(texts), 6))
        pipeline_files.write_tokenizer(folder, [], 514)
        result["bytes"] = answers(CLIPTokenizerFast.from_pretrained(folder), texts, range(0, len(texts), 6))
    with open(args.out, "w", encoding="utf-8") as f:
        json.dump(result, f, separators=(",", ":"))
        f.write("\n")
    print(len(texts), "prompts,", sum(len(result[k]["dropped"]) for k in ("clip", "pad", "bytes")), "truncated")


if __name__ == "__main__":
    main()
